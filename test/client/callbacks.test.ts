import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { downloadBlob } from "../../src/client/blobs/blob-download.js";
import { uploadBlob } from "../../src/client/blobs/blob-upload.js";
import { keepKeyPackages } from "../../src/client/keys/key-packages.js";
import { solveDelayProof } from "../../src/client/registration/delay-proof.js";
import { Ledger } from "../../src/groups/store/ledger.js";
import { memoryStore } from "../../src/groups/store/memory-store.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newClient, sendText } from "./harness.js";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
const fileNames = (library: "client" | "groups") =>
  readdirSync(`${source}${library}`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("index.ts"))
    .map((name) => `${source}${library}/${name}`);
const read = (file: string) => readFileSync(file, "utf8");

/** The callbacks that an application may pass, and whether the library waits for them because what they do must have succeeded. */
const isAwaited: Record<string, boolean> = {
  onDropped: false,
  onFollowed: false,
  onKeyPackagesRemaining: false,
  onLocked: false,
  onProblem: false,
  onProgress: false,
  onResume: false,
  onSession: true,
  onState: true,
  onStatus: false,
  onUndeliverable: true,
};

/** The members `on…` of the interfaces and types that the libraries export. */
function callbacksOf(library: "client" | "groups"): string[] {
  const exported = read(`${source}${library}/index.ts`);
  const found = new Set<string>();
  for (const file of fileNames(library)) {
    for (const part of read(file).split(/^(?=export |const |function |class |interface |type )/m)) {
      const [, name] = /^export (?:interface|type) (\w+)/.exec(part) ?? [];
      if (name === undefined || !new RegExp(`\\b${name}\\b`).test(exported)) continue;
      for (const [, member = ""] of part.matchAll(/\b(on[A-Z]\w*)\??[:(]/g)) found.add(member);
    }
  }
  return [...found];
}

test("every callback of the libraries is known here", () => {
  const found = new Set([...callbacksOf("client"), ...callbacksOf("groups")]);
  // `onEmpty` of a device's queue is a method of the library.
  found.delete("onEmpty");
  expect([...found].sort()).toEqual(Object.keys(isAwaited).sort());
});

test("none is called but by the function that catches what it throws, or awaited", () => {
  const calls = new RegExp(`\\b(${Object.keys(isAwaited).join("|")})(?:\\?\\.)?\\(`);
  const bare: string[] = [];
  for (const file of [...fileNames("client"), ...fileNames("groups")]) {
    for (const line of read(file).split("\n")) {
      const name = calls.exec(line)?.[1];
      const isDeclared = /^\s*(?:async )?\w+\??\(.*\)(?:: .*)?[;{]$|^function |^\s*(?:\*|\/\/)/.test(line);
      const isCaught = line.includes("callBack(") || line.includes("=> callBack") || /\bawait\b/.test(line);
      if (name !== undefined && !isDeclared && !isCaught) bare.push(`${file.slice(source.length)}: ${line.trim()}`);
    }
  }
  expect(bare).toEqual([]);
});

const throwing = (): never => {
  throw new Error("a fault of the application");
};
const rejecting = async (): Promise<never> => throwing();

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ newTierBlobBytesPerDay: 2 ** 30 });
});
afterAll(() => relay.stop());

const unhandled: unknown[] = [];
const note = (problem: unknown) => void unhandled.push(problem);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test.each([
  ["throw", throwing],
  ["reject", rejecting],
])("callbacks that %s end nothing", async (_, fault) => {
  const device = await newClient(relay, { runtime: { onResume: fault as () => never } });
  const texts: string[] = [];
  let failures = 1;
  const receiving = device.receive({
    handle({ ciphertext }) {
      if (failures-- > 0) throw new Error("not yet");
      texts.push(new TextDecoder().decode(ciphertext));
    },
    attempts: 1,
    onUndeliverable: fault as () => Promise<never>,
    onProblem: fault,
    onStatus: fault,
    onKeyPackagesRemaining: fault,
  });
  for (const text of ["one", "two"]) await sendText(device, device, text);
  await until(async () => texts.length === 2, "both messages are handled");
  await receiving.stop();
  const pushed = await device.push.handle("", { handle: fault, onProblem: fault, onKeyPackagesRemaining: fault });
  expect(pushed).toMatchObject({ type: "wake", isEmpty: true });

  const file = randomBytes(300_000);
  const { reference } = await uploadBlob(device, file, { onProgress: fault });
  const stream = downloadBlob(reference, { onProgress: fault });
  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(file)).toBe(true);
  await expect(uploadBlob(device, file, { onState: fault as () => Promise<never> })).rejects.toThrow(
    "of the application",
  );

  keepKeyPackages(device, { make: fault as () => never, onProblem: fault }).remaining(0);
  const proof = await solveDelayProof({ input: new Uint8Array(64), iterations: 64, onProgress: fault });
  expect(proof).toBeDefined();
});

test.each([
  ["throws", throwing],
  ["rejects", rejecting],
])("a listener of groups that %s is told as a problem to the others", async (_, fault) => {
  const ledger = new Ledger(memoryStore());
  const told: unknown[] = [];
  ledger.subscribe((event) => {
    told.push(event);
    return fault();
  });
  ledger.tell({ type: "status", status: "offline" });
  await until(async () => told.length === 2, "the problem is told");
  expect(told[1]).toMatchObject({ type: "problem" });
});
