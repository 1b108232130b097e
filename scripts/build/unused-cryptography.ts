import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import ts from "typescript";

/** Cryptography that ts-mls loads for cipher suites that the groups do not use. */
export const unusedCryptography =
  /^@hpke\/(?:chacha20poly1305|dhkem-x448|ml-kem|hybridkem-x-wing)$|^@noble\/(?:post-quantum\/|curves\/(?:ed448|nist)\.js)/;

/** Key encapsulation for other curves than X25519. The module that chooses one names these classes, so it cannot be loaded without them. */
const unusedCurves = {
  file: /@hpke[\\/]core[\\/]esm[\\/]src[\\/]kems[\\/]dhkem(?:Native|X448)\.js$/,
  contents: ["P256HkdfSha256Native", "P384HkdfSha384Native", "P521HkdfSha512Native", "X448HkdfSha512"]
    .map((name) => `export class Dhkem${name} {}`)
    .join("\n"),
};

export const withoutUnusedCurves: Plugin = {
  name: "without unused curves",
  setup: ({ onLoad }) => onLoad({ filter: unusedCurves.file }, () => ({ contents: unusedCurves.contents })),
};

/** What ts-mls has to say of each cipher suite. The groups use the first one alone; the names of the others stay, since key packages may list them. */
const suites = {
  file: /ts-mls[\\/]dist[\\/]src[\\/]crypto[\\/]ciphersuite\.js$/,
  others: /(?<=const ciphersuiteValues = \{\n {4}1: \{\n(?: {8}.*\n)+ {4}\},\n)(?: {4}.*\n)+(?=\};)/,
};

/** Leaves out what is not used of ts-mls. It does not tell bundlers that it has no side effects, and its encoders are made by calls, which bundlers keep. */
export const withoutUnusedMls: Plugin = {
  name: "without unused parts of ts-mls",
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === resolved || !`${path} ${options.importer}`.includes("ts-mls")) return undefined;
      const found = await resolve(path, { ...options, pluginData: resolved });
      return found.errors.length > 0 ? undefined : { ...found, sideEffects: false };
    });
    onLoad({ filter: /ts-mls[\\/]dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (suites.file.test(path) && !suites.others.test(text))
        throw new Error("ts-mls lists its cipher suites in another form");
      return { contents: madeWhenUsed(suites.file.test(path) ? text.replace(suites.others, "") : text) };
    });
  },
};

/** Marks the values of a module's constants as free of side effects. */
function madeWhenUsed(text: string): string {
  const source = ts.createSourceFile("module.js", text, ts.ScriptTarget.ES2022);
  const values = source.statements.flatMap((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap(({ initializer }) => initializer ?? [])
      : [],
  );
  return values
    .filter(ts.isCallExpression)
    .reverse()
    .reduce((made, { pos, end }) => {
      const value = `/* @__PURE__ */ (() => (${made.slice(pos, end)}))()`;
      return `${made.slice(0, pos)} ${value}${made.slice(end)}`;
    }, text);
}

export const withoutUnused: Plugin = {
  name: "without unused cryptography",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unusedCryptography }, ({ path }) => ({ path, namespace: "unused" }));
    const contents = 'throw new Error("this package is built without this cipher suite");';
    // @hpke imports it where there is no Web Cryptography, which browsers and Node.js have. Bundlers for browsers would warn of it.
    onResolve({ filter: /^crypto$/ }, ({ path, importer }) =>
      importer.includes("@hpke") ? { path, namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents }));
  },
};

/**
 * Leaves out what is not used of @hpke, and what only code that is loaded later uses. Its packages do not tell bundlers that they have no side effects
 * (a second `package.json` hides the first), and their files import the index of `@hpke/common` instead of the files that they need.
 */
export const withoutUnusedHpke: Plugin = {
  name: "without unused parts of @hpke",
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === resolved || !`${path} ${options.importer}`.includes("@hpke")) return undefined;
      const found = await resolve(path, { ...options, pluginData: resolved });
      return found.errors.length > 0 ? undefined : { ...found, sideEffects: false };
    });
    onLoad({ filter: /@hpke[\\/][^/\\]+[\\/]esm[\\/].*\.js$/ }, async ({ path }) => {
      const index = (await resolve("@hpke/common", { kind: "import-statement", resolveDir: process.cwd() })).path;
      const files = await exportsOf(index);
      const importOf = (name: string) => `import { ${name} } from ${JSON.stringify(files.get(name) ?? index)};`;
      const text = await readFile(path, "utf8");
      const contents = text.replaceAll(/^import \{([^}]+)\} from "@hpke\/common";/gm, (_, names: string) =>
        Array.from(names.matchAll(/\w+/g), ([name]) => importOf(name)).join(" "),
      );
      // The helpers of its compiler would hide those of an application's.
      return { contents: contents.replaceAll("__classPrivateField", "hpkeField") };
    });
  },
};

const resolved = Symbol("resolved");

/** By the names that an index exports, the files that have them. */
async function exportsOf(index: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [, names = "", from = ""] of (await readFile(index, "utf8")).matchAll(
    /^export (\*|\{[^}]+\}) from "(.+)";$/gm,
  )) {
    const file = join(dirname(index), from);
    const found =
      names === "*"
        ? (await readFile(file, "utf8")).matchAll(/^export (?:class|const|function) (\w+)/gm)
        : names.matchAll(/(\w+)/g);
    for (const [, name = ""] of found) files.set(name, file);
  }
  return files;
}
