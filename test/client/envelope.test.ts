import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import {
  type EpochKeys,
  epochKeysOf,
  kindOfEnvelope,
  openEnvelope,
  sealEnvelope,
} from "../../src/client/crypto/envelope.js";
import { isSignedInEpoch, signInEpoch } from "../../src/client/crypto/message-signatures.js";
import { paddedSize } from "../../src/client/crypto/padding.js";
import { utf8 } from "../../src/protocol/encodings.js";

const newKeys = (): Promise<EpochKeys> => epochKeysOf((_, __, length) => new Uint8Array(randomBytes(length)));
const content = utf8("what MLS has encrypted");

test("the keys of an epoch come from its exporter, by labels of their own", async () => {
  const asked: unknown[] = [];
  const keys = await epochKeysOf((label, context, length) => {
    asked.push([label, context.length, length]);
    return new Uint8Array(length).fill(asked.length);
  });
  expect(asked).toEqual([
    ["mls-relay envelope", 0, 32],
    ["mls-relay envelope hint", 0, 32],
    ["mls-relay signature", 0, 32],
  ]);
  expect(Object.values(keys).map(([first]) => first)).toEqual([1, 2, 3]);
});

test("what is sealed twice shares no byte but the version, and opens in its epoch only", async () => {
  const [keys, others] = [await newKeys(), await newKeys()];
  const [first, second] = [sealEnvelope(keys, content), sealEnvelope(keys, content)];
  expect(first).toHaveLength(512);
  expect(first.filter((byte, at) => byte === second[at]).length).toBeLessThan(30);
  for (const envelope of [first, second]) {
    expect(kindOfEnvelope(envelope)).toBe("group");
    expect(openEnvelope(keys, envelope)).toEqual(content);
    expect(openEnvelope(others, envelope)).toBeUndefined();
  }
});

test("envelopes are the same in Node.js and where JavaScript encrypts", async () => {
  const keys = await newKeys();
  vi.stubGlobal("process", { ...process, getBuiltinModule: undefined });
  vi.resetModules();
  const portable = await import("../../src/client/crypto/envelope.js");
  const options = { randomBytes: (length: number) => new Uint8Array(length).fill(9) };
  const envelope = portable.sealEnvelope(keys, content, options);
  const changed = envelope.with(511, (envelope[511] as number) ^ 1);
  expect([portable.openEnvelope(keys, envelope), portable.openEnvelope(keys, changed)]).toEqual([content, undefined]);
  vi.unstubAllGlobals();
  expect(sealEnvelope(keys, content, options)).toEqual(envelope);
});

test("an envelope that was changed anywhere does not open", async () => {
  const keys = await newKeys();
  const envelope = sealEnvelope(keys, content);
  for (const at of [0, 1, 4, 5, 16, 17, 511]) {
    const changed = envelope.slice();
    changed[at] = (changed[at] as number) ^ 1;
    expect(openEnvelope(keys, changed), `byte ${at}`).toBeUndefined();
  }
  expect(openEnvelope(keys, envelope.subarray(0, 511))).toBeUndefined();
  expect(openEnvelope(keys, new Uint8Array())).toBeUndefined();
});

test("a length shows little, and never exceeds what a relay accepts", async () => {
  const keys = await newKeys();
  const sizeOf = (length: number, maxBytes?: number) =>
    sealEnvelope(keys, new Uint8Array(length).fill(7), maxBytes === undefined ? {} : { maxBytes }).length;
  const sizes = new Set(Array.from({ length: 2_000 }, (_, at) => sizeOf(at + 1)));
  expect(sizes.size).toBeLessThan(40);
  for (const length of [1, 475, 476, 1_024, 70_000]) {
    const size = sizeOf(length);
    expect(size).toBe(paddedSize(length + 37, Number.MAX_SAFE_INTEGER));
    expect(size - length - 37).toBeLessThanOrEqual(Math.max(512, 0.12 * length));
  }
  expect(sizeOf(1_000, 1_040)).toBe(1_040);
  expect(() => sizeOf(1_004, 1_040)).toThrow("the content takes 1041 bytes of at most 1040");
});

test("members recognise the signature of their epoch, and nobody needs to know who made it", async () => {
  const [keys, others] = [await newKeys(), await newKeys()];
  const ciphertext = sealEnvelope(keys, content);
  const senderSignature = Buffer.from(await signInEpoch(keys, ciphertext)).toString("hex");
  expect(isSignedInEpoch(keys, { ciphertext, senderSignature })).toBe(true);
  expect(isSignedInEpoch(others, { ciphertext, senderSignature })).toBe(false);
});

test("arguments of the wrong form are named", async () => {
  const keys = await newKeys();
  expect(() => sealEnvelope({ ...keys, hintKey: new Uint8Array(31) }, content)).toThrow(
    "keys.hintKey must be a Uint8Array of 32 bytes, not a Uint8Array of 31 bytes",
  );
  expect(() => sealEnvelope(keys, new Uint8Array())).toThrow("content must be");
  expect(() => openEnvelope(keys, "text" as never)).toThrow("envelope must be");
});
