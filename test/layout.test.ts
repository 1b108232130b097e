import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkExports } from "../scripts/check-exports.js";
import { checkLimits, limitsSchema } from "../scripts/check-limits.js";
import { checkModules, type Plan } from "../scripts/check-modules.js";
import { checkReferences } from "../scripts/check-references.js";
import { checkStyle } from "../scripts/check-style.js";
import { modules } from "../scripts/layout/modules.js";
import { describeViolation } from "../scripts/layout/violation.js";

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "mls-relay-layout-"));
});
afterEach(() => rm(project, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  }
}

const plan: Plan = {
  tables: ["messages", "queues", "devices"],
  modules: {
    protocol: { imports: [], open: true, browser: true },
    platform: { imports: [], open: true },
    database: { imports: ["protocol"], open: true },
    devices: { imports: ["protocol"], tables: ["devices"] },
    messages: { imports: ["generated", "devices", "messages/queue"] },
    "messages/queue": { imports: ["database"], tables: ["messages", "queues"] },
    stream: { imports: ["messages"] },
  },
};

async function moduleViolations(files: Record<string, string>): Promise<string[]> {
  await write(files);
  const found = await checkModules(project, plan);
  return found.map(describeViolation).filter((line) => !line.includes("does not use"));
}

async function styleViolations(files: Record<string, string>): Promise<string[]> {
  await write(files);
  return (await checkStyle(project)).map(describeViolation);
}

const useOf = (specifier: string): string => `import { x } from "${specifier}";\nexport const y = x;\n`;

describe("the table of modules", () => {
  test("has no circles: the grants of every module lead down to those that import nothing", () => {
    const folder = (name: string) => name.split("/")[0] ?? name;
    const visit = (name: string, path: readonly string[]): void => {
      expect(path).not.toContain(name);
      for (const next of modules[name]?.imports ?? []) {
        if (folder(next) !== folder(name)) visit(next, [...path, name]);
      }
    };
    for (const name of Object.keys(modules)) visit(name, []);
  });

  test("lets through what it grants", async () => {
    const files = {
      "src/messages/service.ts": useOf("../devices/service.js"),
      "src/messages/handlers.ts": `${useOf("../../generated/handlers.js")}import { z } from "./service.js";\nz();`,
      "src/messages/queue/store.ts": useOf("../../database/connection.js"),
      "src/messages/delivery.ts": useOf("./queue/store.js"),
      "src/stream/session.ts": useOf("../messages/types.js"),
      "src/composition/handlers.ts": useOf("../messages/handlers.js"),
      "src/relay.ts": useOf("./composition/handlers.js"),
      "src/cli/serve.ts": useOf("../relay.js"),
      "src/protocol/address.ts": useOf("@noble/hashes/blake3.js"),
    };
    expect(await moduleViolations(files)).toEqual([]);
  });

  test("reports an import that it does not grant, with file and line", async () => {
    const text = `// a comment\n${useOf("../messages/service.js")}`;
    expect(await moduleViolations({ "src/devices/service.ts": text })).toEqual([
      'src/devices/service.ts:2: "devices" may not import "messages"',
    ]);
  });

  test("grants a folder inside a module by its own name", async () => {
    expect(await moduleViolations({ "src/messages/queue/store.ts": useOf("../service.js") })).toEqual([
      'src/messages/queue/store.ts:1: "messages/queue" may not import "messages"',
    ]);
  });

  test("counts type imports, exports and dynamic imports", async () => {
    const files = {
      "src/devices/a.ts": 'import type { X } from "../messages/service.js";\nexport type Y = X;\n',
      "src/devices/b.ts": 'export const b = 1;\nexport { x } from "../messages/service.js";\n',
      "src/devices/c.ts": 'export const c = () => import("../messages/service.js");\n',
    };
    const found = await moduleViolations(files);
    expect(found).toEqual(["a", "b", "c"].map((name) => expect.stringContaining(`src/devices/${name}.ts:`)));
  });

  test("knows service.ts and types.ts as the public interface of a module", async () => {
    expect(await moduleViolations({ "src/stream/session.ts": useOf("../messages/delivery.js") })).toEqual([
      'src/stream/session.ts:1: the public interface of "messages" is service.ts and types.ts, not src/messages/delivery.ts',
    ]);
  });

  test("reports a grant that nothing uses", async () => {
    await write({ "src/stream/session.ts": "export const x = 1;\n" });
    expect((await checkModules(project, plan)).map(describeViolation)).toEqual([
      'scripts/layout/modules.ts:1: "stream" does not use "messages"',
    ]);
  });

  test("reports files that import each other in a circle, also by types alone", async () => {
    const files = {
      "src/devices/a.ts": 'import type { B } from "./b.js";\nexport type A = B;\n',
      "src/devices/b.ts": 'import type { C } from "./c.js";\nexport type B = C;\n',
      "src/devices/c.ts": 'import type { A } from "./a.js";\nexport type C = A;\n',
      "src/devices/d.ts": 'import type { A } from "./a.js";\nexport type D = A;\n',
    };
    expect(await moduleViolations(files)).toEqual([
      "src/devices/a.ts:1: imports itself in a circle, through src/devices/b.ts, src/devices/c.ts",
    ]);
  });

  test("follows imports into files with JSX", async () => {
    const files = {
      "src/devices/list.tsx": 'import { Row } from "./row.js";\nexport const List = () => <Row />;\n',
      "src/devices/row.tsx": 'import type { List } from "./list.js";\nexport const Row = () => null as List;\n',
    };
    expect(await moduleViolations(files)).toEqual([
      "src/devices/list.tsx:1: imports itself in a circle, through src/devices/row.tsx",
    ]);
  });

  test("reports folders that import each other in a circle, although their files do not", async () => {
    const files = {
      "src/messages/service.ts": useOf("./queue/store.js"),
      "src/messages/queue/store.ts": useOf("../types.js"),
      "src/messages/types.ts": "export const x = 1;\n",
    };
    expect(await moduleViolations(files)).toContain(
      "src/messages:1: imports itself in a circle, through src/messages/queue",
    );
  });

  test("reports SQL that names a table of another module", async () => {
    const files = {
      "src/devices/store.ts": "export const sql = `select 1 from devices d join queues using (device_id)`;\n",
      "src/stream/list.ts": 'export const list = () => listOf("devices");\n',
      "src/devices/read-model.ts": 'export const sql = "select count(*) from messages";\n',
      "src/messages/queue/store.ts": 'export const sql = "insert into messages values (1)";\n',
    };
    expect(await moduleViolations(files)).toEqual([
      'src/devices/store.ts:1: "devices" does not own the table queues',
      'src/stream/list.ts:1: "stream" does not own the table devices',
    ]);
  });

  test("lets only the composition import handlers", async () => {
    const files = {
      "src/cli/status.ts": useOf("../messages/handlers.js"),
      "src/messages/service.ts": useOf("./handlers.js"),
      "src/relay.ts": useOf("./messages/handlers.js"),
    };
    const found = ["src/cli/status.ts", "src/messages/service.ts", "src/relay.ts"];
    expect(await moduleViolations(files)).toEqual(
      found.map((file) => `${file}:1: only src/composition may import src/messages/handlers.ts`),
    );
  });

  test("keeps modules from what is above them, and from what lies outside", async () => {
    const files = {
      "src/devices/a.ts": useOf("../relay.js"),
      "src/devices/b.ts": useOf("../../scripts/check.js"),
      "src/devices/c.ts": useOf("../../test/support/relay.js"),
      "src/devices/d.ts": useOf("../conformance/suite.js"),
      "src/devices/e.ts": useOf("../composition/services.js"),
      "src/devices/f.ts": 'export const f = () => import("../composition/services.js");\n',
    };
    expect(await moduleViolations(files)).toHaveLength(6);
  });

  test("keeps the composition and what serves from what is built on them", async () => {
    const files = {
      "src/cli/relay-process.ts": useOf("../conformance/suite.js"),
      "src/composition/a.ts": useOf("../relay.js"),
      "src/composition/b.ts": useOf("../cli/startup-log.js"),
      "src/composition/c.ts": useOf("../conformance/suite.js"),
      "src/relay.ts": useOf("./conformance/suite.js"),
    };
    expect(await moduleViolations(files)).toEqual(
      Object.keys(files).map((file) =>
        expect.stringMatching(`^${file}:1: .* is above the modules: .* may not import it$`),
      ),
    );
  });

  test("lets only the database import the query builder and the driver", async () => {
    const files = {
      "src/database/connection.ts": useOf("knex"),
      "src/devices/store.ts": 'import type { Knex } from "knex";\nexport type D = Knex;\n',
      "src/messages/queue/store.ts": useOf("pg"),
    };
    expect(await moduleViolations(files)).toEqual([
      "src/devices/store.ts:1: only src/database may import knex",
      "src/messages/queue/store.ts:1: only src/database may import pg",
    ]);
  });

  test("knows no barrels", async () => {
    const files = {
      "src/devices/index.ts": "export const x = 1;\n",
      "src/devices/all.ts": 'export const y = 1;\nexport * from "./store.js";\n',
      "src/devices/only.ts": 'export { x } from "./store.js";\n',
    };
    expect(await moduleViolations(files)).toHaveLength(3);
  });

  test("knows every module by name", async () => {
    expect(await moduleViolations({ "src/utils/text.ts": "export const x = 1;\n" })).toEqual([
      'src/utils/text.ts:1: there is no module "utils" in the table of modules',
    ]);
  });

  test("keeps Node.js out of what runs in a browser", async () => {
    expect(await moduleViolations({ "src/protocol/a.ts": useOf("node:crypto") })).toHaveLength(1);
    expect(await moduleViolations({ "src/platform/a.ts": useOf("node:crypto") })).toHaveLength(1);
  });
});

describe("references", () => {
  const violations = async (files: Record<string, string>): Promise<string[]> => {
    await write({ "spec/decisions/0041-ingest.md": "# Ingest\n", ...files });
    return (await checkReferences(project)).map(describeViolation);
  };

  test("lets through records that exist, and numbers that name none", async () => {
    const files = {
      "src/a.ts": "// See spec/decisions/0041, decision\n// 0041.\nexport const mode = 0o700;\n",
      "docs/a.md": '[0041](../spec/decisions/0041-ingest.md), mode 0600, `0001-baseline.sql`, ["0193…"]\n',
    };
    expect(await violations(files)).toEqual([]);
  });

  test("reports records that do not exist, by number and by file", async () => {
    const [gone, other] = [900, 901].map((number) => `0${number}`);
    const files = {
      "src/a.ts": `// The pace is in spec/decisions/${gone}.\n/**\n * Decision\n * ${other} has the reasons.\n */\n`,
      "docs/a.md": `First.\n\n[0041](../spec/decisions/${gone}-intake.md) and [${other}](a.md)\n`,
    };
    expect(await violations(files)).toEqual([
      `docs/a.md:3: there is no spec/decisions/${gone}-intake.md`,
      `docs/a.md:3: there is no record ${other} in spec/decisions`,
      `src/a.ts:1: there is no record ${gone} in spec/decisions`,
      `src/a.ts:3: there is no record ${other} in spec/decisions`,
    ]);
  });

  test("reports rows of the page of rules that name no file, no name, or a wrong one", async () => {
    const link = (file: string) => `[\`${file}\`](../../src/${file})`;
    const rows = [
      `- Right: ${link("a.ts")} \`limit\`, ${link("b.sql")} \`refuse_change\``,
      "- No file",
      `- No name: ${link("a.ts")}`,
      `- A name inside: ${link("a.ts")} \`inner\``,
      `- Gone: ${link("c.ts")} \`limit\``,
    ];
    const files = {
      "docs/reference/rules.md": `# Rules\n\n${rows.join("\n")}\n`,
      "src/a.ts": "const inner = 1;\nexport const limit = inner;\n",
      "src/b.sql": "create function refuse_change() returns trigger\n",
    };
    expect(await violations(files)).toEqual([
      "docs/reference/rules.md:4: the row names no file",
      "docs/reference/rules.md:5: the row does not say which exported name of src/a.ts has the rule",
      "docs/reference/rules.md:6: src/a.ts does not export inner",
      "docs/reference/rules.md:7: there is no src/c.ts",
    ]);
  });
});

describe("promises", () => {
  test("that name no test, or one that does not exist, are reported", async () => {
    await write({
      "docs/explanation/promises.md": [
        "| kept | `test/a`, `test/gone` |",
        "",
        "- nothing is said of what holds here",
        "",
        "These properties hold:",
        "",
        "- **One.** So",
        "  it is (`test/a/b`).",
        "- **Two.** So",
        "  it is.",
        "",
        "## Threats",
        "",
        "- nor of what holds here",
        "",
      ].join("\n"),
      "test/a/b.test.ts": "",
    });
    expect((await checkReferences(project)).map(describeViolation)).toEqual([
      "docs/explanation/promises.md:1: there is no test/gone",
      "docs/explanation/promises.md:9: the promise names no test",
    ]);
  });
});

describe("exports", () => {
  test("without a user in another file are reported, types included", async () => {
    await write({
      "src/devices/a.ts":
        "export const used = 1;\nexport const unused = used;\nexport interface Unused {\n  x: 1;\n}\n",
      "src/devices/b.ts": "export type Typed = 1;\nexport const all = 1;\n",
      "src/devices/c.ts": 'export const loaded = () => import("./b.js");\n',
      "test/devices/a.test.ts": 'import { used } from "../../src/devices/a.js";\nused;\n',
    });
    expect((await checkExports(project)).map(describeViolation)).toEqual([
      'src/devices/a.ts:2: "unused" is exported, and no other file imports it',
      'src/devices/a.ts:3: "Unused" is exported, and no other file imports it',
      'src/devices/c.ts:1: "loaded" is exported, and no other file imports it',
    ]);
  });
});

describe("the style", () => {
  test("bounds parameters", async () => {
    const found = await styleViolations({
      "src/devices/wide.ts": "export const f = (a: 1, b: 2, c: 3, d: 4) => [a, b, c, d];\n",
      "src/devices/fine.ts": "export function f(a: 1, b: 2, c: 3, ...d: 4[]) {}\n",
    });
    expect(found.map((line) => line.split(":")[0])).toEqual(["src/devices/wide.ts"]);
  });

  test("has clock and randomness passed in, outside the platform", async () => {
    const text = "export const all = [Date.now(), Math.random(), new Date(), new Date(0)];\n";
    expect(await styleViolations({ "src/devices/a.ts": text, "src/platform/a.ts": text })).toHaveLength(3);
  });

  test("has nothing call process.exit", async () => {
    expect(await styleViolations({ "src/cli/a.ts": "process.exit(1);\n" })).toHaveLength(1);
  });
});

test("the contract names the limits of a device as the table has them", async () => {
  const schema = {
    LimitState: {
      properties: {
        name: { description: "`sends_hour`, `gone` and `reads_day`", pattern: "^[a-z_]*$", maxLength: 12 },
        window_seconds: { maximum: 3600 },
      },
    },
    DeviceLimits: { properties: { limits: { maxItems: 3 } } },
  };
  await write({ [limitsSchema]: JSON.stringify(schema) });
  const limit = { per: "device", window: 3600, limit: "sendsPerHour", message: "too many" };
  const table = {
    sends_hour: limit,
    reads_day: limit,
    reads_and_writes: limit,
    peers_week: { ...limit, window: 86_400, per: "device, or network address without one" },
    fetches_of_device: { ...limit, per: "device and target" },
  };
  expect((await checkLimits(project, table)).map((line) => line.slice(limitsSchema.length + 1))).toEqual([
    "names gone, which is no limit (src/limits/table.ts)",
    "calls reads_day what has another window (src/limits/table.ts)",
    "does not name reads_and_writes (src/limits/table.ts)",
    "does not allow the name reads_and_writes (src/limits/table.ts)",
    "does not name peers_week (src/limits/table.ts)",
    "does not allow the window of peers_week (src/limits/table.ts)",
    "allows 3 limits, and a device has 4 (src/limits/table.ts)",
  ]);
});
