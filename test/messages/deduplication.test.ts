import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dayOfKey, deviceKey, keyOf, tagOf } from "../../src/messages/ingest/deduplication/message-key.js";
import type { Envelope } from "../../src/messages/model/types.js";
import { newMessageId } from "../../src/protocol/identifiers.js";

const secret = randomBytes(32);
const day = 86_400_000;
const peer = { kind: "peer", domain: "peer.test" } as const;
const idOn = (millis: number) => newMessageId(millis, randomBytes(10));
const minuteOf = (key: string) => Buffer.from(key, "latin1").readUInt16BE(2);
const envelope = (changes: Partial<Envelope>): Envelope =>
  ({ messageId: idOn(0), recipient: "r", domain: undefined, ciphertext: Buffer.from("c"), ...changes }) as Envelope;

test("a key begins with the minute of the message's id, so that the keys of about one time are adjacent", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65_535 }), fc.integer({ min: 0, max: day - 1 }), (number, rest) => {
      const messageId = idOn(number * day + rest);
      const key = deviceKey(secret, { senderId: "s", messageId, prefix: "r" });
      expect([dayOfKey(key), minuteOf(key)]).toEqual([number, Math.floor(rest / 60_000)]);
      expect(deviceKey(secret, { senderId: "s", messageId, prefix: "r" })).toBe(key);
      const other = deviceKey(secret, { senderId: "s", messageId, prefix: "r2" });
      expect(other.slice(0, 4)).toBe(key.slice(0, 4));
      expect(other).not.toBe(key);
    }),
  );
});

test("a key has 16 bytes, which begin with day and minute", () => {
  const key = deviceKey(secret, { senderId: "s", messageId: idOn(20_000 * day + 61_000), prefix: "r" });
  expect(Buffer.from(key, "latin1").toString("hex")).toMatch(/^4e200001[0-9a-f]{24}$/);
});

test("a peer's tag that is made from a key keeps its time; any other tag has some time", () => {
  const sent = deviceKey(secret, { senderId: "s", messageId: idOn(20_000 * day + 9_000_000), prefix: "r" });
  const dedupTag = tagOf(sent);
  expect(dedupTag).toMatch(/^[0-9a-f]{32}$/);
  const key = keyOf(secret, peer, envelope({ dedupTag }));
  expect([dayOfKey(key), minuteOf(key)]).toEqual([20_000, 150]);
  expect(key).not.toBe(sent);
  const late = keyOf(secret, peer, envelope({ dedupTag: `4e20ffff${"0".repeat(56)}` }));
  expect([dayOfKey(late), minuteOf(late)]).toEqual([20_000, 65_535 % 1_440]);
  const other = keyOf(secret, peer, envelope({ dedupTag: "zz-of-another-form" }));
  expect(dayOfKey(other)).toBe(0);
  expect(keyOf(secret, peer, envelope({ dedupTag: "zz-of-another-form" }))).toBe(other);
  expect(keyOf(secret, peer, envelope({ dedupTag: "zz-of-yet-another-form" }))).not.toBe(other);
});

test("without a tag a peer's message is recognised by its bytes as well", () => {
  const messageId = idOn(20_000 * day);
  const key = keyOf(secret, peer, envelope({ messageId }));
  expect(dayOfKey(key)).toBe(20_000);
  expect(keyOf(secret, peer, envelope({ messageId, ciphertext: Buffer.from("d") }))).not.toBe(key);
});
