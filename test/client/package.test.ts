import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type Installation, installClient, programsOf } from "./installed-package.js";

let client: Installation;
beforeAll(async () => {
  client = await installClient();
});
afterAll(() => client?.remove());

describe("the packed client", () => {
  test("has code, types, licences and a page, and nothing else", () => {
    const names = [...client.files.keys()];
    const expected =
      /^(package\.json|README\.md|LICENSE|dist\/(index\.js|LICENSES\.txt|(blobs\/blob-(reading|sending)|crypto\/native-hpke|linking\/linking-payload|registration\/delay-proof|runtime\/node-socket)\.js|shared\/[\w-]+\.js|types\/.+\.d\.ts))$/;
    expect(names.filter((name) => !expected.test(name))).toEqual([]);
    for (const name of ["README.md", "LICENSE", "dist/LICENSES.txt"]) expect(names).toContain(name);
    const bytes = [...client.files.values()].reduce((sum, size) => sum + size, 0);
    // Half of it are the types of the contract; 65 kB are X-Wing, which is loaded only for key packages that need it.
    expect(bytes).toBeLessThan(1_250_000);
  });

  test("brings no other package", async () => {
    const about = JSON.parse(
      await readFile(join(client.folder, "node_modules/@mls-relay/client/package.json"), "utf8"),
    );
    expect(about.dependencies ?? {}).toEqual({});
  });

  test("has the types of the contract, and none of the relay's own", () => {
    const types = [...client.files.keys()].filter((name) => name.startsWith("dist/types/"));
    expect(types.filter((name) => !name.startsWith("dist/types/src/client/"))).toEqual([
      "dist/types/generated/errors.d.ts",
      "dist/types/generated/frames.d.ts",
      "dist/types/generated/openapi-types.d.ts",
    ]);
  });

  test("lets a bundler leave out what is not used", async () => {
    const contents = 'import { readInfoLink } from "@mls-relay/client"; globalThis.readInfoLink = readInfoLink;';
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: client.folder },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    expect(outputFiles[0]?.text.length).toBeLessThan(5_000);
  });
});

describe("types of the packed client", () => {
  const program = `
    import {
      AnswerError, beginLinking, connect, connectDevice, deviceKeysOf, fetchKeyPackage, isAnswer, newSecretKey, share,
      signCiphertext, type AnswerOf, type DeviceClient, type IncomingMessage, type ReceivingOptions, type Schemas,
    } from "@mls-relay/client";

    const device: DeviceClient = await connectDevice({ url: "https://relay.example", keys: deviceKeysOf(newSecretKey()) });
    const options: ReceivingOptions = { handle: (message: IncomingMessage) => void message.ciphertext };
    await device.receive(options).stop();
    const ciphertext = new Uint8Array(8);
    const answer = await device.send({ to: "a@b", ciphertext, signature: signCiphertext(newSecretKey(), ciphertext) });
    export const sent: Schemas["SendMessageResponse"]["status"] = answer.status;
    const page: AnswerOf<"pollMessages"> = await device.call("pollMessages", { query: { limit: 5 } });
    export const first: string | undefined = page.messages[0]?.message_id;
    export const { keyPackage }: { keyPackage: Uint8Array } = await fetchKeyPackage(device, device.deviceId);
    export const pending = await beginLinking(await connect({ url: "https://relay.example" }));
    export function secondsToWait(failure: unknown): number | undefined {
      if (isAnswer(failure, "QUEUE_FULL")) return failure.retryAfterSeconds;
      return failure instanceof AnswerError ? failure.status : undefined;
    }
    // @ts-expect-error there is no such error
    isAnswer(new Error("any"), "NO_SUCH");
    // @ts-expect-error a message has a ciphertext
    await device.send({ to: "a@b" });
    // @ts-expect-error there is no such operation
    await device.call("noOperation");
    interface Persona { display_name: string }
    const persona: Persona = { display_name: "Ada" };
    const about = { user_id: "u", user_public_key: "00", default_persona: "work", created_at: 1 };
    await share(device, { ...about, personas: { work: persona }, devices: [persona] }, { displayName: "Ada", ttlSeconds: 60 });
    // @ts-expect-error an identity has an id
    await share(device, {}, { displayName: "Ada", ttlSeconds: 60 });
  `;
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts;
  const common = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    target: ScriptTarget.ES2022,
  };
  const browser = { lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [] };
  const node = { lib: ["lib.es2022.d.ts"], types: ["node"] };
  const cases: [string, ts.CompilerOptions][] = [
    ["node16", { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16, ...node }],
    ["nodenext", { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext, ...node }],
    ["bundler", { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler, ...browser }],
  ];

  async function compile(text: string, options: ts.CompilerOptions): Promise<ts.Program> {
    await client.write("program.ts", text);
    const compiled = ts.createProgram([join(client.folder, "program.ts")], { ...common, ...options });
    const problems = ts.getPreEmitDiagnostics(compiled);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
    return compiled;
  }

  test("hold for the programs of the page about pushes, in a page and in its service worker", async () => {
    const page = await readFile("docs/how-to/push.md", "utf8");
    const [, inPage = "", inWorker = ""] =
      /## For browsers\n[\s\S]*?```ts\n([\s\S]*?)```[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] };
    const own = `
      import type { DeviceClient, IncomingMessage } from "@mls-relay/client";
      declare const device: DeviceClient;
      declare function openDevice(): Promise<DeviceClient>;
      declare function decrypt(message: IncomingMessage): Promise<string>;
      declare function store(text: string): Promise<void>;`;
    expect(inPage).toContain("device.push.subscribe");
    await compile(`${own}\n${inPage}`, { ...bundler, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"] });
    expect(inWorker).toContain("device.push.handle");
    await compile(`${own}\n${inWorker}`, { ...bundler, lib: ["lib.es2022.d.ts", "lib.webworker.d.ts"] });
  });

  test.each(cases)("hold with moduleResolution %s", async (_, options) => {
    const compiled = await compile(program, options);
    const files = compiled.getSourceFiles().map(({ fileName }) => fileName);
    expect(files.some((file) => file.includes("@mls-relay/client/dist/types/src/client/index.d.ts"))).toBe(true);
    if (options.types?.length === 0) expect(files.filter((file) => file.includes("@types/"))).toEqual([]);
  });
});

describe("programs of the documentation, run with the packed client", () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startRelay({
      domain: "localhost:8080",
      baseUrl: "http://localhost:8080",
      seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "10000" },
    });
  });
  afterAll(() => relay?.stop());

  const writePrograms = async (page: string): Promise<string[]> => {
    const programs = await programsOf(page);
    for (const [name, text] of programs) {
      await client.write(name, text.replaceAll("http://localhost:8080", relay.url));
    }
    return [...programs.keys()];
  };

  test("the tutorial's first client", async () => {
    expect(await writePrograms("docs/tutorial/first-client.md")).toEqual(["first-client.mjs"]);
    const output = await client.runProgram("first-client.mjs");
    expect(output).toMatch(/^Ada is \S+@localhost:8080\nBen is \S+@localhost:8080\nBen received: Hello Ben\n$/);
  });

  test("a program that may start no workers still registers", async () => {
    await client.write(
      "permitted.mjs",
      `import { connectDevice, deviceKeysOf, newSecretKey } from "@mls-relay/client";
      const device = await connectDevice({ url: "${relay.url}", domain: "localhost:8080", keys: deviceKeysOf(newSecretKey()) });
      await device.register();
      console.log(process.permission.has("worker"), device.session().addresses.length);`,
    );
    const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
    const network = process.allowedNodeEnvironmentFlags.has("--allow-net") ? " --allow-net" : "";
    const NODE_OPTIONS = `${flag} --allow-fs-read=*${network}`;
    expect(await client.runProgram("permitted.mjs", [], { NODE_OPTIONS })).toBe("false 1\n");
  });

  test("the one on the package's own page", async () => {
    expect(await writePrograms("src/client/README.md")).toEqual(["readme.mjs"]);
    expect(await client.runProgram("readme.mjs")).toMatch(/^this device is \S+@localhost:8080\nreceived 33 bytes\n$/);
  });

  test("those of the reference: two devices, key packages, linking, sharing", async () => {
    const names = await writePrograms("docs/reference/client.md");
    expect(names).toEqual(["device.mjs", "talk.mjs", "key-packages.mjs", "linking.mjs", "sharing.mjs"]);

    const [, ben = ""] = /^this device is (\S+)$/m.exec(await introduce()) ?? [];
    const sent = await client.runProgram("talk.mjs", ["ada.json", ben, "Hello Ben"]);
    expect(sent).toMatch(/^this device is \S+@localhost:8080\nsent: queued$/m);
    expect(await receiveOnce()).toContain("received: Hello Ben");

    expect(await client.runProgram("key-packages.mjs")).toContain("a key package of 300 bytes; 99 remain");
    const linked = await client.runProgram("linking.mjs");
    const [, code] = /^the existing device shows (\S+)$/m.exec(linked) ?? [];
    expect(linked).toContain(`the new device shows ${code}`);
    expect(linked).toMatch(/^[0-9a-f]{8} is a device of Ada now$/m);
    expect(await client.runProgram("sharing.mjs")).toMatch(/^found Ada at \S+@localhost:8080$/m);
  });

  /** Registers Ben, whose address a person would read off the other terminal. */
  async function introduce(): Promise<string> {
    const text = `import { openDevice } from "./device.mjs";
      const ben = await openDevice("ben.json");
      console.log("this device is " + ben.session().addresses.at(-1));`;
    await client.write("introduce.mjs", text);
    return client.runProgram("introduce.mjs");
  }

  /** Runs the listening program until it has received a message, and ends it as a person would. */
  async function receiveOnce(): Promise<string> {
    const text = `
      const log = console.log;
      console.log = (line) => { log(line); if (line.startsWith("received")) setTimeout(() => process.emit("SIGINT")); };
      process.argv.splice(2, Infinity, "ben.json");
      await import("./talk.mjs");`;
    await client.write("listen.mjs", text);
    return client.runProgram("listen.mjs");
  }
});
