import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deviceKey, keyOf } from "../../src/messages/ingest/deduplication.js";
import type { Envelope } from "../../src/messages/types.js";
import { newMessageId } from "../../src/protocol/identifiers.js";

const secret = randomBytes(32);
const day = 86_400_000;
const idOn = (millis: number) => newMessageId(millis, randomBytes(10));
const dayOf = (key: string) => Buffer.from(key, "latin1").readUInt16BE(0);
const envelope = (changes: Partial<Envelope>): Envelope =>
  ({ messageId: idOn(0), recipient: "r", domain: undefined, ciphertext: Buffer.from("c"), ...changes }) as Envelope;

test("a key has 32 bytes and begins with the day of the message's id, so that the keys of a day are adjacent", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65_535 }), fc.integer({ min: 0, max: day - 1 }), (number, rest) => {
      const messageId = idOn(number * day + rest);
      const key = deviceKey(secret, { senderId: "s", messageId, prefix: "r" });
      expect([key.length, dayOf(key)]).toEqual([32, number]);
      expect(deviceKey(secret, { senderId: "s", messageId, prefix: "r" })).toBe(key);
      expect(deviceKey(secret, { senderId: "s", messageId, prefix: "r2" })).not.toBe(key);
    }),
  );
});

test("a peer's tag that is a key keeps its day; any other tag has some day", () => {
  const peer = { kind: "peer", domain: "peer.test" } as const;
  const sent = deviceKey(secret, { senderId: "s", messageId: idOn(20_000 * day), prefix: "r" });
  const dedupTag = Buffer.from(sent, "latin1").toString("hex");
  const key = keyOf(secret, peer, envelope({ dedupTag }));
  expect([key.length, dayOf(key), key === sent]).toEqual([32, 20_000, false]);
  const other = keyOf(secret, peer, envelope({ dedupTag: "zz-of-another-form" }));
  expect([other.length, dayOf(other)]).toEqual([32, 0]);
  expect(keyOf(secret, peer, envelope({ dedupTag: "zz-of-another-form" }))).toBe(other);
  expect(keyOf(secret, peer, envelope({ dedupTag: "zz-of-yet-another-form" }))).not.toBe(other);
});

test("without a tag a peer's message is recognised by its bytes as well", () => {
  const peer = { kind: "peer", domain: "peer.test" } as const;
  const messageId = idOn(20_000 * day);
  const key = keyOf(secret, peer, envelope({ messageId }));
  expect([key.length, dayOf(key)]).toEqual([32, 20_000]);
  expect(keyOf(secret, peer, envelope({ messageId, ciphertext: Buffer.from("d") }))).not.toBe(key);
});
