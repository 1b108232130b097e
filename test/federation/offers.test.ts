import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FixtureDevice } from "../messages/fixture.js";
import {
  createOutboxFixture,
  finished,
  noteReached,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { answer, createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

// What a peer's discovery document offers is used, and what it does not offer is not.

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
let node: OutboxNode;
let domain: string;
let count = 0;

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  from = await fixture.mailboxes.device({ custom_limit: 100_000 });
  peer = createScriptedPeer();
  domain = `offers${count++}.test`;
  await noteReached(fixture.mailboxes, domain);
});
afterEach(async () => {
  await node.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds, outbox_transactions");
});
afterAll(() => fixture.stop());

const start = async (config = {}) => {
  node = await fixture.node({ calls: peer, config });
};
const recipients = (number: number) => Array.from({ length: number }, () => remote(domain));
const sendToMany = async (number: number, bytes = 5000) => {
  const to = recipients(number);
  const { messageId, senderSignature, timestamp } = fixture.mailboxes.envelope(from);
  await node.mailbox.sendToMany(from.deviceId, {
    ...{ messageId, senderSignature, timestamp, systemEvent: null, allOrNothing: false },
    recipients: to.map(({ address }) => address),
    mlsCiphertext: randomBytes(bytes).toString("base64"),
  });
  return to.map(({ address }) => address).sort();
};
const done = () => finished(fixture.mailboxes, domain);
const sizes = () => peer.attempts.map(({ messages }) => messages.length);
/** Sorted: messages for different recipients may overtake each other. */
const arrivedAt = () => peer.arrived.map((one) => one.recipient_address).sort();
const arrivedIds = () => peer.arrived.map((one) => one.message_id).sort();

describe("the number of messages of a transaction", () => {
  it("is as large as the peer offers: a message to 1,000 recipients crosses once", async () => {
    Object.assign(peer, { shares: true, attaches: true, max: 1000 });
    await start();
    // A larger one is stored in parts, each of which may leave as soon as it is stored.
    const to = await sendToMany(1000, 8_000);
    await done();
    expect([sizes(), arrivedAt()]).toEqual([[1000], to]);
    expect(peer.attempts[0]?.body.length).toBeLessThan(600_000);
    expect(new Set(peer.arrived.map((one) => one.mls_ciphertext)).size).toBe(1);
  });

  it("is a hundred for a peer that offers nothing, and no more than an offer of less", async () => {
    await start();
    const to = await sendToMany(150);
    await done();
    expect([sizes(), arrivedAt()]).toEqual([[100, 50], to]);
    peer.max = 60;
    await sendToMany(100);
    await done();
    expect(sizes().slice(2)).toEqual([60, 40]);
  });

  it("goes back to a hundred where the peer's limits leave no room for more, and grows again", async () => {
    Object.assign(peer, { max: 1000 });
    let refusals = 0;
    peer.behave = ({ messages }, take) => {
      if (messages.length <= 100 || refusals > 0) return take();
      refusals += 1;
      return answer(429, {}, { "retry-after": "1" });
    };
    await start({ outboxMinBackoffSeconds: 1 });
    const to = await sendToMany(600);
    await done();
    expect(sizes()).toEqual([600, 100, 150, 225, 125]);
    expect([arrivedAt(), peer.repeated]).toEqual([to, 0]);
  });
});

describe("ciphertexts", () => {
  it("are attached as bytes where the peer offers it, the same in every attempt", async () => {
    peer.attaches = true;
    let failures = 0;
    peer.behave = (_, take) => {
      failures += 1;
      return failures === 1 ? answer(503, {}) : take();
    };
    await start({ outboxMinBackoffSeconds: 1 });
    const to = recipients(3);
    const { ids } = await sendTo(node, fixture.mailboxes, { from, recipients: [...to, ...to], bytes: 3000 });
    await done();
    expect(peer.attempts.map(({ attached }) => attached)).toEqual([true, true]);
    expect(peer.attempts[1]?.body.equals(peer.attempts[0]?.body as Buffer)).toBe(true);
    expect(arrivedIds()).toEqual(ids.toSorted());
    const ciphertext = Buffer.alloc(3000, 1).toString("base64");
    expect(peer.arrived.every((one) => one.mls_ciphertext === ciphertext)).toBe(true);
  });

  it.each([400, 415])("go as base64 to a peer that answers %i to attached ones", async (status) => {
    peer.attaches = true;
    peer.behave = ({ attached }, take) => (attached ? answer(status, { error: "X", code: 4000 }) : take());
    await start();
    const { ids } = await sendTo(node, fixture.mailboxes, { from, recipients: recipients(5) });
    await done();
    expect(peer.attempts.map(({ attached }) => attached)).toEqual([true, false]);
    expect([arrivedIds(), peer.repeated]).toEqual([ids.toSorted(), 0]);
  });
});
