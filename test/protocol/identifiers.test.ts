import { blake3 } from "@noble/hashes/blake3.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeHex } from "../../src/protocol/encodings.js";
import {
  deviceIdCandidates,
  deviceIdOf,
  newMessageId,
  parseDeviceId,
  parseMessageId,
  parsePrefix,
  parsePublicKey,
  spellingOfPrefix,
  spellPrefix,
} from "../../src/protocol/identifiers.js";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const messageId = "0190a5d2-7c3e-7def-8abc-0123456789ab";

test("a device id is the BLAKE3 hash of its public key", () => {
  expect(deviceIdOf(new Uint8Array(0))).toBe("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
});

test("a device spelled by its public key is found under the key's hash", () => {
  fc.assert(
    fc.property(bytes(32), (publicKey) => {
      const spelled = encodeHex(publicKey).toUpperCase();
      expect(deviceIdCandidates(spelled)).toEqual([encodeHex(publicKey), encodeHex(blake3(publicKey))]);
    }),
  );
});

test.each(["", "00", "z".repeat(64), "0".repeat(63), "0".repeat(66)])("%j is neither a device id nor a key", (text) => {
  expect(parseDeviceId(text)).toBeUndefined();
  expect(parsePublicKey(text)).toBeUndefined();
  expect(deviceIdCandidates(text)).toEqual([]);
});

test("a device id comes out in lower case", () => {
  expect(parseDeviceId("AB".repeat(32))).toBe("ab".repeat(32));
});

test("a message id is one and the same in each of its spellings", () => {
  for (const text of [messageId, messageId.toUpperCase(), messageId.replaceAll("-", "")]) {
    expect(parseMessageId(text)).toBe(messageId);
  }
});

test.each([
  ["version 4", "0190a5d2-7c3e-4def-8abc-0123456789ab"],
  ["version 1", "0190a5d2-7c3e-1def-8abc-0123456789ab"],
  ["another variant", "0190a5d2-7c3e-7def-cabc-0123456789ab"],
  ["hyphens elsewhere", "0190a5d27-c3e-7def-8abc-0123456789ab"],
  ["braces", `{${messageId}}`],
  ["31 digits", messageId.replaceAll("-", "").slice(1)],
  ["a letter that is no digit", messageId.replace("a", "g")],
  ["a line break", `${messageId}\n`],
])("a message id of %s is refused", (_, text) => {
  expect(parseMessageId(text)).toBeUndefined();
});

test("new message ids carry their time and parse to themselves", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 47 }), bytes(10), (nowMillis, random) => {
      const id = newMessageId(nowMillis, random);
      expect(parseMessageId(id)).toBe(id);
      expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(nowMillis);
    }),
  );
});

test("a prefix keeps its spelling and is compared by its bytes", () => {
  fc.assert(
    fc.property(bytes(16), (random) => {
      const hex = encodeHex(random);
      const prefix = parsePrefix(hex.toUpperCase());
      expect(prefix).toBe(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
      if (prefix === undefined) return;
      expect(parsePrefix(prefix)).toBe(prefix);
      expect([spellingOfPrefix(hex), spellingOfPrefix(prefix)]).toEqual(["hex", "uuid"]);
      expect([spellPrefix(prefix, "hex"), spellPrefix(prefix, "uuid")]).toEqual([hex, prefix]);
    }),
  );
});

test.each(["", "0".repeat(31), "0".repeat(33), "0".repeat(36), `${"0".repeat(31)}g`])("%j is no prefix", (text) => {
  expect(parsePrefix(text)).toBeUndefined();
});
