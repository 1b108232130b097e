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
    seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "10000", SEED_RATE_LIMITING_ENABLED: "false" },
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

  test("load at most 123 kB in a browser before they open a group, compressed, with the client and the MLS library", async () => {
    const contents =
      'import { indexedDbStore, openGroups, tsMls } from "@mls-relay/groups"; globalThis.groups = { indexedDbStore, openGroups, tsMls };';
    const { compressed } = await loadedAtOnce(contents, groups.folder);
    expect(compressed).toBeGreaterThan(50_000);
    expect(compressed).toBeLessThan(123_000);
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

describe("a file that does not arrive", () => {
  const [epochs, hpke] = ["groups/dist/shared/ts-mls-epochs.js", "client/dist/shared/hpke-suites.js"];

  beforeAll(async () => {
    await groups.write("devices.mjs", devices);
    await groups.write("return.mjs", comeBack);
    await groups.write(
      "leave.mjs",
      `import { devicesOf, keep } from "./devices.mjs";
      const [ada, ...others] = await devicesOf("${relay.url}", ["Ada", "Ben", "Bo", "Bea", "Cy", "Cleo"]);
      const [members, strangers] = [others.slice(0, 3), others.slice(3)];
      const group = await ada.groups.create({ name: "Friends" });
      const joined = members.map(({ heard }) => heard("joinedGroup"));
      await group.add(members.map(({ groups }) => groups.address));
      await Promise.all(joined);
      for (const one of others) await keep(one);
      await group.rename("Old friends");
      await group.add(strangers.map(({ groups }) => groups.address));
      const sent = ada.heard("sent");
      await group.send({ text: "hello" });
      await sent;
      await ada.groups.close();`,
    );
    await groups.runProgram("leave.mjs");
  });

  const comesBack = async (name: string, { missing, ...options }: { missing: string; mls?: string }) =>
    (await groups.runProgram("return.mjs", [JSON.stringify({ url: relay.url, name, missing, ...options })]))
      .trim()
      .split("\n");

  test.each([
    ["Ben", epochs],
    ["Bo", hpke],
  ])("leaves a commit to be read later: %s, %s", async (name, missing) => {
    expect(await comesBack(name, { missing })).toEqual([
      "joinedGroup Friends",
      "NotLoadedError",
      "the file is there",
      "changed Old friends",
      "changed Old friends",
      "message hello",
    ]);
  });

  test("leaves a commit to be read later behind another MLS library", async () => {
    expect(await comesBack("Bea", { missing: epochs, mls: "another" })).toEqual([
      "joinedGroup Friends",
      "NotLoadedError",
      "the file is there",
      "changed Old friends",
      "changed Old friends",
      "message hello",
    ]);
  });

  test.each([
    ["Cy", epochs],
    ["Cleo", hpke],
  ])("leaves a Welcome in the queue: %s, %s", async (name, missing) => {
    expect(await comesBack(name, { missing })).toEqual([
      "NotLoadedError",
      "the file is there",
      "joinedGroup Old friends",
      "message hello",
    ]);
  });
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

/** Devices whose stores outlive their program. */
const devices = `
  import { readFile, writeFile } from "node:fs/promises";
  import { memoryStore, openGroups, tsMls } from "@mls-relay/groups";

  export async function open({ url, store, name, mls = tsMls() }) {
    const groups = await openGroups({ relay: url, store, name, mls });
    const heard = (wanted) =>
      new Promise((resolve) => groups.subscribe((event) => event.type === wanted && resolve(event)));
    return { groups, store, heard };
  }

  export const devicesOf = (url, names) =>
    Promise.all(names.map((name) => open({ url, name, store: memoryStore() })));

  export async function keep({ groups, store }) {
    const file = groups.name + ".json";
    await groups.close();
    const entries = (await store.list({ prefix: "" })).map(([key, value]) => [key, Buffer.from(value).toString("hex")]);
    await writeFile(file, JSON.stringify(entries));
  }

  export async function kept(file) {
    const store = memoryStore();
    const entries = JSON.parse(await readFile(file, "utf8"));
    await store.write(entries.map(([key, value]) => [key, new Uint8Array(Buffer.from(value, "hex"))]));
    return store;
  }`;

/** Says what a device hears while a file is missing, and once it is there. */
const comeBack = `
  import { rename } from "node:fs/promises";
  import { tsMls } from "@mls-relay/groups";
  import { kept, open } from "./devices.mjs";

  const { url, name, missing, mls } = JSON.parse(process.argv[2]);
  const file = "node_modules/@mls-relay/" + missing;
  const library = tsMls();
  // It does not judge.
  const another = new Proxy(library, {
    has: (of, key) => key !== "follow" && key in of,
    get(of, key) {
      const member = of[key];
      return typeof member === "function" ? member.bind(of) : member;
    },
  });
  await rename(file, file + ".away");
  let isThere = false;
  const store = await kept(name + ".json");
  const { groups } = await open({ url, store, mls: mls === "another" ? another : library });
  const problems = groups.subscribe(async (event) => {
    if (event.type !== "problem" || isThere) return;
    isThere = true;
    console.log(event.problem.name);
    await rename(file + ".away", file);
    console.log("the file is there");
  });
  for await (const event of groups.events()) {
    if (event.type === "changed" || event.type === "joinedGroup") console.log(event.type, event.name);
    else if (event.type === "message") console.log(event.type, event.message.text);
    else if (["unreadable", "mustRejoin", "welcomeRefused"].includes(event.type)) console.log(event.type);
    if (event.type === "message") break;
  }
  await groups.close();`;
