import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadedAtOnce } from "../client/browser/loaded-at-once.js";
import { type Installation, installClient, programsOf } from "../client/installed-package.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let groups: Installation;
let relay: TestRelay;
beforeAll(async () => {
  groups = await installClient("@mls-relay/groups");
  relay = await startRelay({
    domain: "localhost:8080",
    baseUrl: "http://localhost:8080",
    seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "10000" },
  });
});
afterAll(async () => {
  await relay?.stop();
  await groups?.remove();
});

describe("the packed groups", () => {
  test("have code, types, licences and a page, and nothing else", () => {
    const expected =
      /^(package\.json|README\.md|LICENSE|dist\/(index\.js|mcp\.js|push\.js|react-native\.js|LICENSES\.txt|shared\/[\w-]+\.js|types\/src\/groups\/.+\.d\.ts))$/;
    expect([...groups.files.keys()].filter((name) => !expected.test(name))).toEqual([]);
    for (const name of ["README.md", "LICENSE", "dist/LICENSES.txt"]) expect([...groups.files.keys()]).toContain(name);
  });

  test("load at most 144 kB in a browser before they open a group, compressed, with the client and the MLS library", async () => {
    const contents =
      'import { indexedDbStore, openGroups, tsMls } from "@mls-relay/groups"; globalThis.groups = { indexedDbStore, openGroups, tsMls };';
    const { compressed } = await loadedAtOnce(contents, groups.folder);
    expect(compressed).toBeGreaterThan(50_000);
    expect(compressed).toBeLessThan(144_000);
  });
});

test("the service worker of the page about pushes fits the types", async () => {
  const page = await readFile("docs/how-to/push.md", "utf8");
  const [, worker = ""] = /### With `@mls-relay\/groups`\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(worker).toContain("openPush");
  const own = `
    declare function readPush(data: unknown): { type: string; code: string };
    declare function tellPage(push: { type: string; code: string }): void;`;
  await groups.write("worker.ts", `${worker}\n${own}`);
  const compiled = ts.createProgram([join(groups.folder, "worker.ts")], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    lib: ["lib.es2022.d.ts", "lib.webworker.d.ts"],
  });
  const problems = ts.getPreEmitDiagnostics(compiled);
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

test("the programs of the page about React Native fit the types", async () => {
  const page = await readFile("docs/how-to/react-native.md", "utf8");
  const [device = "", fast = ""] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = ""]) => program);
  expect(device).toContain("opSqliteStore");
  const values = "(string | number | boolean | null | ArrayBuffer | ArrayBufferView)[]";
  await groups.write(
    "modules.d.ts",
    `declare module "@op-engineering/op-sqlite" {
      interface QueryResult { rowsAffected: number; rows: Array<Record<string, ${values}[number]>> }
      interface DB {
        execute: (query: string, params?: ${values}) => Promise<QueryResult>;
        executeRaw: (query: string, params?: ${values}) => Promise<{ rawRows: unknown[] }>;
        executeBatch: (commands: ([string] | [string, ${values}] | [string, ${values}[]])[]) => Promise<{ rowsAffected?: number }>;
        close: () => void;
      }
      export function open(params: { name: string; location?: string; encryptionKey?: string }): DB;
    }
    declare module "expo-crypto" { export function getRandomBytes(byteCount: number): Uint8Array; }
    declare module "react-native-quick-crypto" { export const subtle: { importKey(): Promise<object> }; }
    declare module "react-native" {
      export const AppState: { addEventListener(type: "change", listener: (state: "active" | "background") => void): { remove: () => void } };
    }`,
  );
  await groups.write("phone.ts", device);
  const imports = device
    .split("\n")
    .filter((line) => line.startsWith("import "))
    .join("\n");
  await groups.write("fast.ts", `${imports}\n${fast}\nvoid [open, openGroups, opSqliteStore, tsMls, runtime];`);
  const files = ["modules.d.ts", "phone.ts", "fast.ts"].map((name) => join(groups.folder, name));
  const compiled = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  });
  const problems = ts.getPreEmitDiagnostics(compiled);
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

describe("programs of the documentation, run with the packed groups", () => {
  const write = async (page: string, store = "memoryStore()"): Promise<string[]> => {
    const programs = await programsOf(page);
    for (const [name, text] of programs) {
      const here = text.replaceAll("http://localhost:8080", relay.url).replace(/sqliteStore\([^)]+\)/, store);
      await groups.write(name, here.replace("sqliteStore, tsMls", "memoryStore, sqliteStore, tsMls"));
    }
    return [...programs.keys()];
  };

  test("the one on the package's own page", async () => {
    expect(await write("src/groups/README.md")).toEqual(["alone.mjs"]);
    expect(await groups.runProgram("alone.mjs")).toBe("joinedGroup\nmessage\nsent\n");
  });

  test("the one of the project's page", async () => {
    expect(await write("README.md")).toEqual(["hello.mjs"]);
    expect(await groups.runProgram("hello.mjs")).toMatch(/^https:\/\/app\.example\/join#\S+\n$/);
  });

  test("the tutorial's bot", async () => {
    expect(await write("docs/tutorial/bots.md")).toEqual(["bot.mjs"]);
    await groups.write(
      "ask.mjs",
      `import { spawn } from "node:child_process";
      import { memoryStore, openGroups, tsMls } from "@mls-relay/groups";
      const me = await openGroups({ relay: "${relay.url}", store: memoryStore(), name: "Ada", mls: tsMls() });
      const group = await me.create({ name: "Bots" });
      const bot = spawn(process.execPath, ["bot.mjs"], { stdio: ["ignore", "pipe", "inherit"] });
      bot.once("exit", () => process.exit());
      const [line] = String(await new Promise((resolve) => bot.stdout.once("data", resolve))).split("\\n");
      await group.add([line.replace("invite ", "")]);
      await group.send({ text: "hello" });
      const { id } = await group.send({ text: "!echo hello" });
      for await (const { type, message } of me.events()) {
        if (type !== "message" || message.isMine) continue;
        console.log(message.from.name, message.text, message.replyTo === id);
        break;
      }
      await me.close();
      bot.kill();`,
    );
    expect(await groups.runProgram("ask.mjs")).toBe("Echo hello true\n");
  });

  test("the tutorial's chat", async () => {
    expect(await write("docs/tutorial/groups.md")).toEqual(["chat.mjs"]);
    // Both people in one program, which ends once Ben has read what Ada writes.
    await groups.write(
      "both.mjs",
      `import { spawn } from "node:child_process";
      const lines = (child, listener) => child.stdout.on("data", (data) => String(data).split("\\n").forEach(listener));
      const ben = spawn(process.execPath, ["chat.mjs", "Ben"], { stdio: ["pipe", "pipe", "inherit"] });
      let ada;
      lines(ben, (line) => {
        if (line) console.log("Ben sees: " + line);
        const [, address] = /^Ben is (.+)$/.exec(line) ?? [];
        if (address) ada = spawn(process.execPath, ["chat.mjs", "Ada", address], { stdio: ["pipe", "pipe", "inherit"] });
        if (address) lines(ada, (seen) => seen === "Ben has joined" && ada.stdin.write("Hello Ben\\n"));
        if (line === "Ada: Hello Ben") for (const child of [ada, ben]) child.kill();
      });`,
    );
    const output = await groups.runProgram("both.mjs");
    expect(output).toMatch(
      /^Ben sees: Ben is \S+@localhost:8080\nBen sees: you are in Friends\nBen sees: Ada: Hello Ben\n$/,
    );
  });
});
