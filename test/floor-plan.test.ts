import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkFloorPlan } from "../scripts/check-floor-plan.js";
import { checkStyle } from "../scripts/check-style.js";
import { floorPlan } from "../scripts/house/floor-plan.js";
import { describeViolation } from "../scripts/house/violation.js";

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "mls-relay-house-"));
});
afterEach(() => rm(project, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  }
}

async function planViolations(files: Record<string, string>): Promise<string[]> {
  await write(files);
  return (await checkFloorPlan(project)).map(describeViolation);
}

async function styleViolations(files: Record<string, string>): Promise<string[]> {
  await write(files);
  return (await checkStyle(project)).map(describeViolation);
}

const useOf = (specifier: string): string => `import { x } from "${specifier}";\nexport const y = x;\n`;

describe("the floor plan", () => {
  test("has no loops: every room's imports lead to the ground", () => {
    const visit = (room: string, path: readonly string[]): void => {
      expect(path).not.toContain(room);
      for (const next of floorPlan[room] ?? []) visit(next, [...path, room]);
    };
    for (const room of Object.keys(floorPlan)) visit(room, []);
  });

  test("lets through what the table allows", async () => {
    const files = {
      "src/messages/service.ts": useOf("../mailbox/service.js"),
      "src/messages/handlers.ts": `${useOf("../../generated/handlers.js")}import { z } from "./service.js";\nz();`,
      "src/mailbox/store.ts": useOf("../platform/database/connection.js"),
      "src/mailbox/service.ts": useOf("./store.js"),
      "src/relay.ts": useOf("./messages/handlers.js"),
      "src/cli/serve.ts": useOf("../main.js"),
      "src/protocol/address.ts": useOf("@noble/hashes/blake3.js"),
    };
    expect(await planViolations(files)).toEqual([]);
  });

  test("reports an import that the table does not allow, with file and line", async () => {
    const text = `// a comment\n${useOf("../messages/service.js")}`;
    expect(await planViolations({ "src/mailbox/service.ts": text })).toEqual([
      'src/mailbox/service.ts:2: "mailbox" may not import "messages"',
    ]);
  });

  test("counts type imports, exports and dynamic imports", async () => {
    const files = {
      "src/http/a.ts": 'import type { X } from "../devices/service.js";\nexport type Y = X;\n',
      "src/http/b.ts": 'export const b = 1;\nexport { x } from "../devices/service.js";\n',
      "src/http/c.ts": 'export const c = () => import("../devices/service.js");\n',
    };
    const found = await planViolations(files);
    expect(found).toEqual(["a", "b", "c"].map((name) => expect.stringContaining(`src/http/${name}.ts:`)));
  });

  test("knows service.ts as the only door between rooms", async () => {
    expect(await planViolations({ "src/stream/session.ts": useOf("../mailbox/store.js") })).toEqual([
      'src/stream/session.ts:1: the door to "mailbox" is service.ts, not src/mailbox/store.ts',
    ]);
    expect(await planViolations({ "src/stream/session.ts": useOf("../settings/table.js") })).toHaveLength(1);
  });

  test("lets only the composition root import handlers", async () => {
    expect(await planViolations({ "src/messages/service.ts": useOf("./handlers.js") })).toEqual([
      "src/messages/service.ts:1: only src/relay.ts may import src/messages/handlers.ts",
    ]);
  });

  test("keeps rooms from what stands above them, and from what lies outside", async () => {
    const files = {
      "src/http/a.ts": useOf("../relay.js"),
      "src/http/b.ts": useOf("../../scripts/check.js"),
      "src/http/c.ts": useOf("../../test/support/relay.js"),
    };
    expect(await planViolations(files)).toHaveLength(3);
  });

  test("knows no barrels", async () => {
    const files = {
      "src/devices/index.ts": "export const x = 1;\n",
      "src/devices/all.ts": 'export const y = 1;\nexport * from "./store.js";\n',
      "src/devices/only.ts": 'export { x } from "./store.js";\n',
    };
    expect(await planViolations(files)).toHaveLength(3);
  });

  test("knows every room by name", async () => {
    expect(await planViolations({ "src/utils/text.ts": "export const x = 1;\n" })).toEqual([
      'src/utils/text.ts:1: there is no room "utils" on the floor plan',
    ]);
  });

  test("keeps Node.js out of what runs in a browser", async () => {
    expect(await planViolations({ "src/protocol/a.ts": useOf("node:crypto") })).toHaveLength(1);
    expect(await planViolations({ "src/platform/a.ts": useOf("node:crypto") })).toHaveLength(1);
  });
});

describe("the style", () => {
  test("bounds files, functions and parameters", async () => {
    const found = await styleViolations({
      "src/devices/long.ts": "export const x = 1;\n".repeat(401),
      "src/devices/deep.ts": `export function f() {\n${"f;\n".repeat(70)}}\n`,
      "src/devices/wide.ts": "export const f = (a: 1, b: 2, c: 3, d: 4) => [a, b, c, d];\n",
      "src/devices/fine.ts": `export function f(a: 1, b: 2, c: 3, ...d: 4[]) {\n${"f;\n".repeat(68)}}\n`,
    });
    expect(found.map((line) => line.split(":")[0])).toEqual([
      "src/devices/deep.ts",
      "src/devices/long.ts",
      "src/devices/wide.ts",
    ]);
  });

  test("has clock and randomness passed in, outside the platform", async () => {
    const text = "export const all = [Date.now(), Math.random(), new Date(), new Date(0)];\n";
    expect(await styleViolations({ "src/devices/a.ts": text, "src/platform/a.ts": text })).toHaveLength(3);
  });

  test("has nothing call process.exit", async () => {
    expect(await styleViolations({ "src/cli/a.ts": "process.exit(1);\n" })).toHaveLength(1);
  });
});
