import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FixtureDevice } from "../messages/fixture.js";
import { tableOf } from "../support/table.js";
import {
  createOutboxFixture,
  destination,
  eventually,
  isDone,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { answer, broken, createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

const hour = 3_600;

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
  from = await fixture.mailboxes.device({ custom_limit: 1000 });
  peer = createScriptedPeer();
  domain = `peer${count++}.test`;
});
afterEach(async () => {
  await node.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => fixture.stop());

const takeAndBreak: ScriptedPeer["behave"] = (_, take) => {
  take();
  return broken();
};
const start = async (config = {}) => {
  node = await fixture.node({ calls: peer, config });
};
const recipients = (number: number) => Array.from({ length: number }, () => remote(domain));
const send = async (to: ReturnType<typeof remote>[], bytes?: number) => {
  const sent = await sendTo(node, fixture.mailboxes, {
    from,
    recipients: to,
    ...(bytes === undefined ? {} : { bytes }),
  });
  expect(sent.outcomes.every((outcome) => "status" in outcome && outcome.status === "federated")).toBe(true);
  return sent.ids;
};
const done = () => eventually(() => isDone(fixture.mailboxes, domain));
const arrivedIds = () => peer.arrived.map((message) => message.message_id);
const mailboxClock = () => fixture.mailboxes.clock;
const failures = async () => (await destination(fixture.mailboxes, domain))?.failures ?? 0;

describe("messages for another server", () => {
  it("arrive there as they were sent, in order, in as few transactions as may be", async () => {
    await start();
    const ids = await send(recipients(250));
    await done();
    expect(arrivedIds()).toEqual(ids);
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([100, 100, 50]);
    expect(new Set(peer.attempts.map(({ id }) => id)).size).toBe(3);
    expect(peer.maxAtOnce).toBe(1);
    const [first] = peer.arrived;
    expect(Buffer.from(first?.mls_ciphertext ?? "", "base64")).toHaveLength(64);
    expect(first?.dedup_tag).toMatch(/^[0-9a-f]{32}$/);
    expect(await destination(fixture.mailboxes, domain)).toMatchObject({ bytes: 0, next_attempt_millis: null });
  });

  it("carry nothing of their sender", async () => {
    await start();
    await send(recipients(1));
    await done();
    expect(peer.attempts[0]?.body.toString()).not.toContain(from.deviceId);
    expect(Object.keys(peer.arrived[0] ?? {}).sort()).toEqual([
      "dedup_tag",
      "domain",
      "message_id",
      "mls_ciphertext",
      "recipient_address",
      "sender_signature",
      "timestamp",
    ]);
  });

  it("leave in transactions of bounded size, a larger message alone", async () => {
    await start({ outboxTransactionBytes: 10_000 });
    await send(recipients(5), 4_000);
    await send(recipients(1), 50_000);
    await send(recipients(2), 4_000);
    await done();
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([2, 2, 1, 1, 2]);
  });

  it("go to many destinations at once, one transaction at a time to each", async () => {
    await start();
    const open: (() => void)[] = [];
    peer.behave = async (_, take) => {
      await new Promise<void>((resolve) => open.push(resolve));
      return take();
    };
    const others = Array.from({ length: 20 }, (_, i) => `n${i}.${domain}`);
    for (let i = 0; i < 3; i++) await send(others.map(remote));
    await eventually(() => open.length === 20);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([open.length, peer.maxAtOnce]).toEqual([20, 1]);
    const opener = setInterval(() => {
      for (const go of open.splice(0)) go();
    }, 5);
    for (const other of others) await eventually(() => isDone(fixture.mailboxes, other));
    clearInterval(opener);
    expect(peer.arrived).toHaveLength(60);
    expect(peer.maxAtOnce).toBe(1);
  });
});

describe("what is on its way", () => {
  it("is bounded in bytes, over all destinations", async () => {
    await start({ outboxInFlightBytes: 10_000 });
    const open: (() => void)[] = [];
    let max = 0;
    peer.behave = async (_, take) => {
      await new Promise<void>((resolve) => {
        open.push(resolve);
        max = Math.max(max, open.length);
      });
      return take();
    };
    const others = Array.from({ length: 6 }, (_, i) => `n${i}.${domain}`);
    await send(others.map(remote), 4_000);
    await eventually(() => open.length === 2);
    const opener = setInterval(() => open.shift()?.(), 20);
    for (const other of others) await eventually(() => isDone(fixture.mailboxes, other));
    clearInterval(opener);
    expect([max, peer.arrived.length]).toEqual([2, 6]);
  });
});

describe("a transaction without an answer", () => {
  it.each([
    ["was cut off before it arrived", () => broken()],
    ["was cut off before its answer arrived", takeAndBreak],
    ["was answered 500", () => answer(500, { error: "INTERNAL" })],
    ["was answered 502 with something else", () => answer(502, "<html>")],
    ["was answered 403", () => answer(403, { error: "SERVER_BLOCKED" })],
    ["was answered 404", () => answer(404, { error: "NOT_FOUND" })],
    ["was answered 302", () => answer(302, "")],
  ] as [
    string,
    ScriptedPeer["behave"],
  ][])("which %s, is sent again as it was, and nothing arrives twice", async (_, behave) => {
    await start();
    peer.behave = behave;
    const ids = await send(recipients(3));
    await eventually(async () => (await failures()) >= 1);
    await send(recipients(2));
    mailboxClock().advance(2);
    await eventually(async () => (await failures()) >= 2);
    peer.behave = (_attempt, take) => take();
    mailboxClock().advance(10);
    await done();
    const [first, second] = peer.attempts;
    expect(second?.id).toBe(first?.id);
    expect(second?.body.equals(first?.body as Buffer)).toBe(true);
    expect(arrivedIds().slice(0, 3)).toEqual(ids);
    expect(peer.arrived).toHaveLength(5);
    expect(peer.repeated).toBe(0);
  });

  it("is sent under another id once one of its messages is gone", async () => {
    await start({ outboxMinBackoffSeconds: hour });
    peer.behave = takeAndBreak;
    await send(recipients(3));
    await eventually(async () => (await failures()) === 1);
    await tableOf(fixture.mailboxes.db, "outbox").where({ domain, position: 2 }).update({ expires_at: 1 });
    await node.outbox.expireWaiting();
    peer.behave = (_, take) => take();
    mailboxClock().advance(hour);
    await done();
    const [first, second] = peer.attempts;
    expect(second?.id).not.toBe(first?.id);
    expect(second?.messages).toHaveLength(2);
    expect([peer.arrived.length, peer.repeated]).toEqual([3, 2]);
  });

  it("is sent under another id where the peer knows the id with another body", async () => {
    await start();
    let conflicts = 1;
    peer.behave = (_, take) => (conflicts-- > 0 ? answer(409, { error: "CONFLICT" }) : take());
    await send(recipients(3));
    await done();
    expect(peer.attempts).toHaveLength(2);
    expect(peer.attempts[1]?.id).not.toBe(peer.attempts[0]?.id);
    expect(await failures()).toBe(0);
  });

  it("is sent at once with a new token where the old one is not accepted, but not forever", async () => {
    await start({ outboxMinBackoffSeconds: hour });
    let refusals = 1;
    peer.behave = (_, take) => (refusals-- > 0 ? answer(401, { error: "INVALID_TOKEN" }) : take());
    await send(recipients(3));
    await done();
    expect(peer.attempts.map(({ id }) => id)).toEqual([peer.attempts[0]?.id, peer.attempts[0]?.id]);
    refusals = 1000;
    await send(recipients(1));
    await eventually(async () => (await failures()) === 1);
    expect(peer.attempts).toHaveLength(5);
  });

  it("waits for as long as the peer asks", async () => {
    await start();
    peer.behave = () => answer(429, { error: "RATE_LIMIT_EXCEEDED" }, { "retry-after": "600" });
    await send(recipients(1));
    await eventually(async () => (await failures()) === 1);
    const { next_attempt_millis: next } = (await destination(fixture.mailboxes, domain)) ?? {};
    expect(Math.round(((next ?? 0) - mailboxClock().nowMillis()) / 1000)).toBeGreaterThan(400);
    mailboxClock().advance(400);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(peer.attempts).toHaveLength(1);
    peer.behave = (_, take) => take();
    mailboxClock().advance(300);
    await done();
  });
});

describe("a message that is refused", () => {
  it.each([
    "ADDRESS_NOT_FOUND",
    "INVALID_REQUEST",
    "INVALID_ADDRESS",
    "MESSAGE_TOO_LARGE",
  ])("with %s is not sent again, and counted", async (error) => {
    await start();
    const [bad, good] = recipients(2) as [ReturnType<typeof remote>, ReturnType<typeof remote>];
    peer.refusals.set(bad.address, error);
    await send([bad, good]);
    await done();
    expect(peer.attempts).toHaveLength(1);
    await node.metrics.flush();
    expect(await node.metrics.total("federated_deliveries_failed")).toBeGreaterThanOrEqual(1);
  });

  it("because the recipient's queue is full is sent again later, in order, and stops nobody else", async () => {
    await start();
    const [full, other] = recipients(2) as [ReturnType<typeof remote>, ReturnType<typeof remote>];
    peer.refusals.set(full.address, "QUEUE_FULL");
    const first = await send([full, other, full]);
    const second = await send([full, other]);
    await eventually(() => peer.arrived.length === 2);
    expect(arrivedIds()).toEqual([first[1], second[1]]);
    mailboxClock().advance(4000);
    await eventually(() => peer.attempts.length >= 3);
    peer.refusals.clear();
    mailboxClock().advance(4000);
    await done();
    expect(arrivedIds().slice(2)).toEqual([first[0], first[2], second[0]]);
    expect(peer.repeated).toBe(0);
    expect(await tableOf(fixture.mailboxes.db, "outbox_holds").where({ domain })).toEqual([]);
  });

  it("because the peer has too much to do is sent again after a while", async () => {
    await start();
    const all = recipients(4);
    for (const { address } of all) peer.refusals.set(address, "RATE_LIMIT_EXCEEDED");
    await send(all);
    await eventually(async () => (await failures()) >= 1);
    peer.refusals.clear();
    mailboxClock().advance(10);
    await done();
    expect(peer.arrived).toHaveLength(4);
    expect(peer.attempts[1]?.id).not.toBe(peer.attempts[0]?.id);
  });

  it.each([
    ["at once where the peer names recipients", true, 1],
    ["by trying them one by one where it does not", false, 20],
  ])("is told from the others with the same id %s", async (_, namesRecipients, maxAttempts) => {
    await start();
    peer.namesRecipients = namesRecipients;
    const all = recipients(12);
    const bad = all[7]?.address ?? "";
    peer.refusals.set(bad, "ADDRESS_NOT_FOUND");
    const { messageId } = fixture.mailboxes.envelope(from);
    const envelopes = all.map((one) => fixture.mailboxes.envelope(one, { domain, messageId }));
    await node.mailbox.accept({ kind: "device", deviceId: from.deviceId }, envelopes);
    await done();
    const good = all.map(({ address }) => address).filter((address) => address !== bad);
    expect(peer.arrived.map((message) => message.recipient_address)).toEqual(good);
    expect(peer.attempts.length).toBeLessThanOrEqual(maxAttempts);
  });
});

describe("a transaction that is refused as a whole", () => {
  it.each([
    [400, { error: "INVALID_REQUEST", code: 4000 }],
    [400, "<html>"],
    [413, { error: "MESSAGE_TOO_LARGE", code: 4002 }],
    [422, { detail: "unprocessable" }],
  ])("with %d is halved until the message at fault stands alone, which waits", async (status, body) => {
    await start();
    const all = recipients(100);
    const bad = all[36]?.address;
    peer.behave = ({ messages }, take) =>
      messages.some((message) => message.recipient_address === bad) ? answer(status, body) : take();
    const ids = await send(all);
    await eventually(
      async () => peer.arrived.length === 99 && (await destination(fixture.mailboxes, domain))?.rows === 1,
    );
    expect(arrivedIds()).toEqual(ids.filter((_, i) => i !== 36));
    expect(peer.repeated).toBe(0);
    expect(peer.attempts.length).toBeLessThan(30);
    expect(new Set(peer.attempts.map(({ id }) => id)).size).toBe(peer.attempts.length);
    peer.behave = (_, take) => take();
    mailboxClock().advance(60);
    await done();
    expect(arrivedIds().at(-1)).toBe(ids[36]);
  });
});
