import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("wrong/", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Each file of `wrong/` has one mistake; this is what the compiler must say about it. */
const expected: Record<string, { mistake: string; code: number; says: RegExp }> = {
  "missing-handler.ts": { mistake: "a missing handler", code: 2741, says: /'getReadyz' is missing/ },
  "unknown-handler.ts": {
    mistake: "a handler the contract does not name",
    code: 2353,
    says: /'getWeather' does not exist/,
  },
  "unknown-operation.ts": { mistake: "an operation the contract does not name", code: 2344, says: /"getWeather"/ },
  "wrong-status.ts": {
    mistake: "a status that is not documented",
    code: 2322,
    says: /'201' is not assignable to type '200'/,
  },
  "wrong-body.ts": {
    mistake: "a body that does not fit",
    code: 2322,
    says: /'"fine"' is not assignable to type '"ok"'/,
  },
  "missing-body.ts": { mistake: "a reply without its body", code: 2345, says: /'body' is missing/ },
  "missing-header.ts": { mistake: "a reply without a documented header", code: 2345, says: /'headers' is missing/ },
  "extra-property.ts": { mistake: "an extra property in a body", code: 2353, says: /'uptime_seconds' does not exist/ },
  "bare-reply.ts": { mistake: "an answer that did not pass through reply", code: 2322, says: /\[sent\]/ },
  "wrong-caller.ts": { mistake: "an admin's member on a device", code: 2339, says: /'permissions' does not exist/ },
  "wrong-parameter.ts": { mistake: "a parameter the contract does not name", code: 2339, says: /'id' does not exist/ },
  "principal-without-security.ts": {
    mistake: "the caller of an operation without security",
    code: 2339,
    says: /'principal' does not exist/,
  },
};

describe("the compiler", () => {
  const diagnostics = compile(readdirSync(folder));

  it("has nothing against handlers that fit the contract", () => {
    expect(diagnostics.get("nothing.ts")).toEqual([]);
  });

  it("sees every file of the folder", () => {
    expect([...diagnostics.keys()].sort()).toEqual(["nothing.ts", ...Object.keys(expected)].sort());
  });

  for (const [file, { mistake, code, says }] of Object.entries(expected)) {
    it(`refuses ${mistake}`, () => {
      const found = diagnostics.get(file) ?? [];
      expect(found.map((diagnostic) => diagnostic.code)).toEqual([code]);
      expect(found[0]?.text).toMatch(says);
    });
  }
});

function compile(files: string[]): Map<string, { code: number; text: string }[]> {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(
    files.map((file) => folder + file),
    options,
  );
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(folder + file);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return [
        file,
        found.map(({ code, messageText }) => ({ code, text: ts.flattenDiagnosticMessageText(messageText, "\n") })),
      ];
    }),
  );
}
