import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, Script } from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AbortController as OwnController, AbortSignal as OwnSignal } from "../../src/groups/react-native/abort.js";
import { Response as OwnResponse, ReadableStream as OwnStream } from "../../src/groups/react-native/streams.js";
import { TextDecoder as OwnDecoder } from "../../src/groups/react-native/text-decoder.js";
import { URL as OwnUrl } from "../../src/groups/react-native/url.js";
import { isMissing, programs } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openPerson, roomy, textsOf, untilHas } from "./people.js";
import { inOldSyntax, oldGlobals } from "./phone/old-syntax.js";
import { globalsOfReactNative, inHermes, inNode, Phone, type StartEngine } from "./phone/phone.js";

let relay: TestRelay;
let globals: string;
let code: string;
beforeAll(async () => {
  relay = await startRelay(roomy);
  globals = await globalsOfReactNative();
  // As an application's bundler does, which shortens names only after it has lowered the syntax.
  const { outputFiles } = await build({
    entryPoints: ["src/groups/dist/react-native.js"],
    format: "iife",
    globalName: "mls",
    minifySyntax: true,
    minifyWhitespace: true,
    target: "es2022",
    supported: { "async-generator": false, "for-await": false },
    write: false,
    logLevel: "error",
  });
  code = outputFiles[0]?.text ?? "";
});
afterAll(() => relay.stop());

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-phone-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe.skipIf(isMissing("hermes-compiler"))("the compiler of Hermes", () => {
  const compiles = async (program: string) => {
    const folder = await newFolder();
    await writeFile(join(folder, "program.js"), program);
    const compiler = programs["hermes-compiler"].find() ?? "";
    await promisify(execFile)(compiler, ["-w", "-O0", "-emit-binary", "-out", "program.hbc", "program.js"], {
      cwd: folder,
    });
  };

  test("takes the package", async () => {
    await compiles(code);
    await expect(compiles("async function* chunks() {} chunks();")).rejects.toThrow("async generators");
  });

  test("takes the patterns that the package makes while it runs", async () => {
    const made = new Map<string, string>();
    const context = createContext({ note: (source: string, flags = "") => made.set(source, flags) });
    const watch = `const Whole = RegExp;
      globalThis.RegExp = class extends Whole { constructor(...given) { super(...given); note(...given); } };`;
    for (const part of [watch, globals, code]) new Script(part).runInContext(context);
    expect([...made.keys()].filter((source) => source.includes("\\p{"))).not.toEqual([]);
    const literals = [...made].map(([source, flags]) => `/${source}/${flags};`);
    await compiles(literals.join("\n"));
  });
});

/** A phone whose user opens the messenger with a store in a folder, to be opened again. */
async function startPhone(
  engine: StartEngine,
  parts: { globals: string; code: string },
  folder: string,
): Promise<Phone> {
  const phone = await Phone.start(engine, parts);
  onTestFinished(() => phone.stop());
  const { url, config } = relay;
  await phone.ask(`mls.openGroups({
    relay: "${url}", domain: "${config.domain}", name: "Ada", mls: mls.tsMls(), admission: { by: "nothing" },
    store: mls.opSqliteStore(opSqlite, { name: "groups.sqlite", location: "${folder}" }), runtime: runtime,
  }).then(function (opened) { globalThis.me = opened; })`);
  return phone;
}

const group = "me.groups()[0]";
const textsOfPhone = (phone: Phone) =>
  phone.ask<string[]>(
    `${group}.messages().then(function (all) { return all.map(function (one) { return one.text; }); })`,
  );
const sendFrom = (phone: Phone, text: string) => phone.ask(`${group}.send({ text: "${text}" }).then(function () {})`);

/** The phone creates a group, and sends and receives a text and a file. */
async function exchange(phone: Phone) {
  const ben = await openPerson(relay, "Ben");
  const add = `function (made) { return made.add(["${ben.address}"]); }`;
  await phone.ask(`me.create({ name: "Phones" }).then(${add}).then(function () {})`);
  const bens = await groupOf(ben, "Phones");
  await sendFrom(phone, "from the phone \u{1F4F1}");
  await untilHas(bens, "from the phone \u{1F4F1}");
  const file = randomBytes(20_000);
  await bens.attach(new Uint8Array(file), { name: "a.bin", mediaType: "application/octet-stream", text: "a file" });
  await until(async () => (await textsOfPhone(phone)).includes("a file"), "the phone has the text");
  const read = await phone.ask<string>(`${group}.messages().then(function (all) {
    var bytes = [];
    var reader = ${group}.download(all[all.length - 1]).getReader();
    var next = function (read) {
      if (read.done) return base64Of(bytes);
      bytes = bytes.concat(Array.from(read.value));
      return reader.read().then(next);
    };
    return reader.read().then(next);
  })`);
  expect(read).toBe(file.toString("base64"));
  return bens;
}

describe("a device with nothing but React Native's globals, and op-sqlite", () => {
  test.skipIf(isMissing("node-24"))(
    "exchanges texts and files, and goes on after the system has ended it",
    async () => {
      const folder = await newFolder();
      const phone = await startPhone(inNode, { globals, code }, folder);
      const bens = await exchange(phone);
      phone.stop();
      const again = await startPhone(inNode, { globals, code }, folder);
      await sendFrom(again, "again");
      await untilHas(bens, "again");
      expect(await textsOf(bens)).toEqual(["from the phone \u{1F4F1}", "a file", "again"]);
      expect(await textsOfPhone(again)).toEqual(await textsOf(bens));
    },
  );

  test.skipIf(isMissing("node-24") || isMissing("hermes"))("does so in a Hermes engine", async () => {
    const parts = { globals: oldGlobals + inOldSyntax(globals), code: inOldSyntax(code) };
    const engine = inHermes(programs["hermes"].find() ?? "");
    const bens = await exchange(await startPhone(engine, parts, await newFolder()));
    expect(await textsOf(bens)).toEqual(["from the phone \u{1F4F1}", "a file"]);
  });
});

describe("what stands in for globals", () => {
  test("decodes UTF-8 as the platform's decoder, whole and in parts", () => {
    const samples = [
      Buffer.from("a\u00e9\u20ac\u{1F4F1}\ufeff b"),
      Buffer.from([0xef, 0xbb, 0xbf, 0x61]),
      Buffer.from("\ufeff\ufeffa"),
    ];
    for (let at = 0; at < 3_000; at++) samples.push(randomBytes(at % 9));
    for (const bytes of [
      ...samples,
      Buffer.from([0xf0, 0x9f, 0x93]),
      Buffer.from([0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80]),
    ]) {
      for (const options of [{}, { ignoreBOM: true }]) {
        expect(new OwnDecoder("utf-8", options).decode(bytes)).toBe(new TextDecoder("utf-8", options).decode(bytes));
        const [own, theirs] = [new OwnDecoder("utf-8", options), new TextDecoder("utf-8", options)];
        const inParts = (decoder: typeof own | typeof theirs) =>
          Array.from(bytes, (byte) => decoder.decode(Uint8Array.of(byte), { stream: true })).join("") +
          decoder.decode();
        expect(inParts(own)).toBe(inParts(theirs));
      }
      const strictly = (decoder: typeof OwnDecoder | typeof TextDecoder) => {
        try {
          return new decoder("utf-8", { fatal: true }).decode(bytes);
        } catch (problem) {
          return (problem as Error).name;
        }
      };
      expect(strictly(OwnDecoder)).toBe(strictly(TextDecoder));
    }
  });

  test("reads addresses as the platform does, or refuses them", () => {
    const taken = [
      "https://relay.example",
      "https://Relay.Example:443/a/../b/./c",
      "http://localhost:8080/x?y=1#z",
      "http://[::1]:80/",
      "myapp://join/here#x",
      "myapp:join",
      "https://relay.example/\u00e9?\u00e9#\u00e9",
      "https://a.example/%2e%2E/b/..",
    ];
    const members = ["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"] as const;
    for (const text of taken) {
      const [own, theirs] = [new OwnUrl(text), new URL(text)];
      expect(members.map((name) => own[name])).toEqual(members.map((name) => theirs[name]));
      for (const url of [own, theirs]) {
        url.hash = "a=\u00e9&b";
        url.searchParams.set("since", "1 2");
      }
      expect(own.href.replace("1%202", "1+2")).toBe(theirs.href);
    }
    for (const text of [
      "",
      "relay.example",
      "https://",
      "https:\\\\relay.example",
      "https://a@b.example",
      "https://a.example\\@b.example/",
      "https://\u00e9.example",
      "https://a.example:99999",
      "https://relay.example/a b",
      "https://a.example/\nx",
    ])
      expect([text, OwnUrl.canParse(text)]).toEqual([text, false]);
  });

  test("aborts once, with its reason, what is joined too, and forgets listeners", () => {
    const [one, other] = [new OwnController(), new OwnController()];
    const joined = OwnSignal.any([one.signal, other.signal]);
    const heard: string[] = [];
    joined.addEventListener("abort", () => heard.push("joined"));
    const forgotten = () => heard.push("forgotten");
    one.signal.addEventListener("abort", forgotten);
    one.signal.removeEventListener("abort", forgotten);
    one.abort("first");
    one.abort("second");
    other.abort("third");
    expect([joined.reason, one.signal.reason, heard]).toEqual(["first", "first", ["joined"]]);
    expect(() => joined.throwIfAborted()).toThrow("first");
    expect(OwnSignal.any([one.signal]).aborted).toBe(true);
    const silent = new OwnController();
    silent.abort();
    expect((silent.signal.reason as Error).name).toBe("AbortError");
  });

  test("streams what is pulled, with its failure, and tells of a cancellation", async () => {
    let pulled = 0;
    const numbers = () =>
      new OwnStream<Uint8Array>({
        pull(controller) {
          if (++pulled > 3) controller.close();
          else controller.enqueue(Uint8Array.of(pulled));
        },
      });
    expect(pulled).toBe(0);
    expect([...new Uint8Array(await new OwnResponse(numbers()).arrayBuffer())]).toEqual([1, 2, 3]);
    const reasons: unknown[] = [];
    const cancelled = new OwnStream({ pull: () => {}, cancel: (why) => reasons.push(why) });
    await cancelled.cancel("enough");
    expect(reasons).toEqual(["enough"]);
    const broken = new OwnStream({ pull: () => Promise.reject(new Error("broken")) });
    await expect(broken.getReader().read()).rejects.toThrow("broken");
    const seen: number[] = [];
    pulled = 0;
    for await (const part of numbers()) seen.push(...part);
    expect(seen).toEqual([1, 2, 3]);
  });
});
