import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FixtureDevice } from "../messages/fixture.js";
import { tableOf } from "../support/table.js";
import {
  createOutboxFixture,
  eventually,
  isDone,
  noteReached,
  type OutboxFixture,
  type OutboxNode,
  quick,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { answer, broken, createScriptedPeer, holdAttempts, type ScriptedPeer } from "./scripted-peer.js";

// Several transactions may be on their way to one destination, each for other recipients: whatever is answered first, late or
// never, the messages to one recipient arrive once and in their order.

type Remote = ReturnType<typeof remote>;

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
let node: OutboxNode;
let others: OutboxNode[];
let domain: string;
let count = 0;
let sent: Map<string, string[]>;

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  from = await fixture.mailboxes.device({ custom_limit: 10_000 });
  domain = `several${count++}.test`;
  peer = createScriptedPeer();
  sent = new Map();
  others = [];
  await noteReached(fixture.mailboxes, domain);
});
afterEach(async () => {
  for (const one of [node, ...others]) await one.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds, outbox_transactions");
});
afterAll(() => fixture.stop());

const start = async (config = {}) => {
  node = await fixture.node({ calls: peer, config });
};
const send = async (to: readonly Remote[], by = node) => {
  const { ids } = await sendTo(by, fixture.mailboxes, { from, recipients: to });
  to.forEach(({ address }, i) => {
    sent.set(address, [...(sent.get(address) ?? []), ids[i] ?? ""]);
  });
};
const done = () => eventually(() => isDone(fixture.mailboxes, domain));
const arrived = () => {
  const ids = new Map<string, string[]>();
  for (const { recipient_address: to, message_id: id } of peer.arrived) ids.set(to, [...(ids.get(to) ?? []), id]);
  return ids;
};
const sentTo = () => peer.attempts.map(({ messages }) => messages.map((one) => one.recipient_address));

describe("while a transaction is on its way", () => {
  it("messages for other recipients follow it, and those for the same recipient wait for its answer", async () => {
    const go = holdAttempts(peer);
    await start({ outboxLingerMillis: 60_000 });
    const [anna, ben] = [remote(domain), remote(domain)];
    await send([anna]);
    await eventually(() => go.length === 1);
    await send([ben]);
    await eventually(() => go.length === 2);
    await send([anna]);
    await send([ben]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sentTo()).toEqual([[anna.address], [ben.address]]);
    // The answer to the second one comes first. The message behind it waits for the one before.
    go.splice(1, 1)[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(peer.attempts).toHaveLength(2);
    go.shift()?.();
    await eventually(() => go.length > 0);
    peer.behave = (_, take) => take();
    for (const one of go.splice(0)) one();
    await eventually(() => peer.arrived.length === 4);
    expect(arrived()).toEqual(sent);
    await node.stop();
    await start();
  });

  it("no more than the configured number follow it, nor any besides many messages", async () => {
    const go = holdAttempts(peer);
    await start({ outboxTransactionsInFlight: 2 });
    await send([remote(domain)]);
    await eventually(() => go.length === 1);
    await send(Array.from({ length: 40 }, () => remote(domain)));
    await eventually(() => go.length === 2);
    await send([remote(domain)]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([1, 40]);
    go.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(peer.attempts).toHaveLength(2);
    peer.behave = (_, take) => take();
    go.shift()?.();
    await done();
    expect([arrived(), peer.maxAtOnce]).toEqual([sent, 2]);
  });

  it("a message that another node accepts is noticed", async () => {
    const go = holdAttempts(peer);
    await start({ outboxLingerMillis: 60_000, outboxPollMillis: 60_000 });
    await send([remote(domain)]);
    await eventually(() => go.length === 1);
    const other = await fixture.node({ calls: peer, config: { ...quick, outboxPollMillis: 60_000 } });
    others.push(other);
    await send([remote(domain)], other);
    await eventually(() => go.length === 2);
    peer.behave = (_, take) => take();
    for (const one of go.splice(0)) one();
    await eventually(() => peer.arrived.length === 2);
    expect(arrived()).toEqual(sent);
  });
});

describe("while many messages wait", () => {
  const few = (number: number) => Array.from({ length: number }, () => remote(domain));
  const among = (recipients: readonly Remote[], number: number) =>
    Array.from({ length: number }, (_, i) => recipients[i % recipients.length] as Remote);

  it("two transactions for different recipients are on their way at once", async () => {
    const go = holdAttempts(peer);
    peer.max = 200;
    await start();
    await send(among(few(16), 800));
    await eventually(() => go.length === 1);
    const [first] = go.splice(0);
    first?.();
    await eventually(() => go.length === 2);
    const [, one, other] = sentTo().map((addresses) => new Set(addresses));
    expect([...(one ?? [])].filter((address) => other?.has(address))).toEqual([]);
    expect([one?.size, other?.size].reduce<number>((sum, size = 0) => sum + size, 0)).toBe(16);
    peer.behave = (_, take) => take();
    for (const each of go.splice(0)) each();
    await done();
    expect([arrived(), peer.maxAtOnce, peer.repeated]).toEqual([sent, 2, 0]);
  });

  it("messages removed after their transaction was prepared are not sent, and its other half is not sent twice", async () => {
    const go = holdAttempts(peer);
    peer.max = 200;
    await start();
    await send(among(few(16), 600));
    const stored = () => tableOf(fixture.mailboxes.db, "outbox_transactions").where({ domain });
    await eventually(async () => go.length === 1 && (await stored()).length === 3);
    // Of the half that is sent second: the other one is on its way when it is found to be incomplete.
    const second = tableOf(fixture.mailboxes.db, "outbox").where({ domain }).whereRaw("uuid_hash(recipient) & 1 = 1");
    const { position } = await second.where("position", ">", 200).orderBy("position").first();
    await tableOf(fixture.mailboxes.db, "outbox").where({ domain, position }).update({ expires_at: 1 });
    await node.outbox.expireWaiting();
    // Long enough for what was prepared to be checked again.
    fixture.mailboxes.clock.advance(1);
    for (let answered = 0; answered < 2; answered++) {
      await eventually(() => go.length > 0);
      go.shift()?.();
    }
    peer.behave = (_, take) => take();
    for (const each of go.splice(0)) each();
    await eventually(() => {
      for (const each of go.splice(0)) each();
      return isDone(fixture.mailboxes, domain);
    });
    expect([peer.arrived.length, peer.repeated]).toEqual([599, 0]);
    for (const [address, ids] of arrived()) {
      expect(ids).toEqual(sent.get(address)?.filter((id) => ids.includes(id)));
    }
  });
});

describe("a recipient on hold", () => {
  it("delays no message for another recipient, however long the hold is", async () => {
    await start({ outboxMinBackoffSeconds: 3600, outboxMaxBackoffSeconds: 3600 });
    const [full, other] = [remote(domain), remote(domain)];
    peer.refusals.set(full.address, "QUEUE_FULL");
    await send([full]);
    const state = () => tableOf(fixture.mailboxes.db, "outbox_destinations").where({ domain }).first();
    await eventually(async () => {
      const { lease_node: lease, next_attempt_millis: next } = await state();
      return lease === null && Number(next) > fixture.mailboxes.clock.nowMillis();
    });
    await send([other]);
    await eventually(() => peer.arrived.length === 1);
    expect(peer.arrived[0]?.recipient_address).toBe(other.address);
    peer.refusals.clear();
    fixture.mailboxes.clock.advance(3600);
    await done();
    expect(arrived()).toEqual(
      new Map([
        [other.address, sent.get(other.address)],
        [full.address, sent.get(full.address)],
      ]),
    );
  });
});

describe("nothing is lost, doubled or out of order", () => {
  it("where answers come late, in another order, broken, with refusals, or not at all", async () => {
    const seconds = { outboxMinBackoffSeconds: 1, outboxMaxBackoffSeconds: 1 };
    await start({ ...seconds, outboxTransactionMessages: 8 });
    const recipients = Array.from({ length: 7 }, () => remote(domain));
    let attempts = 0;
    let rejections = 0;
    peer.namesRecipients = true;
    peer.behave = async (_, take) => {
      attempts += 1;
      const number = attempts;
      // The second is sent while the first is on its way, however slow the database is.
      if (number === 1) await eventually(() => attempts > 1);
      await new Promise((resolve) => setTimeout(resolve, (number * 7) % 23));
      if (number % 11 === 3) return answer(500, {});
      if (number % 13 === 5) return answer(401, {});
      if (number % 17 === 7) broken();
      if (number % 7 === 2 && rejections < 6) {
        rejections += 1;
        peer.refusals.set(recipients[number % recipients.length]?.address ?? "", "QUEUE_FULL");
      } else peer.refusals.clear();
      const given = take();
      // It has arrived, and the answer is lost.
      if (number % 19 === 4) broken();
      return given;
    };
    // One message each, so that nothing for the first recipient is prepared together with what is for the second.
    await send(recipients.slice(0, 1));
    await eventually(() => attempts === 1);
    await send(recipients.slice(1, 2));
    await eventually(() => attempts > 1);
    const ticking = setInterval(() => fixture.mailboxes.clock.advance(1), 20);
    for (let i = 0; i < 60; i++) {
      await send(recipients.filter((_, at) => (i + at) % 3 !== 0).slice(0, 1 + (i % 5)));
    }
    await eventually(() => {
      fixture.mailboxes.clock.advance(1);
      return isDone(fixture.mailboxes, domain);
    }).finally(() => clearInterval(ticking));
    expect(arrived()).toEqual(sent);
    expect(peer.maxAtOnce).toBeGreaterThan(1);
  });

  it("where a recipient is deferred who has messages in two stored transactions", async () => {
    const go = holdAttempts(peer);
    const config = { outboxTransactionMessages: 40, outboxMinBackoffSeconds: 1, outboxMaxBackoffSeconds: 1 };
    await start(config);
    const all = Array.from({ length: 80 }, () => remote(domain));
    const [full] = all as [Remote];
    all[45] = full;
    await send(all);
    const stored = () => tableOf(fixture.mailboxes.db, "outbox_transactions").where({ domain });
    await eventually(async () => go.length === 1 && (await stored()).length === 2);
    node.die();
    peer.namesRecipients = true;
    peer.refusals.set(full.address, "QUEUE_FULL");
    peer.behave = (_, take) => take();
    await start(config);
    await eventually(() => peer.arrived.length === 78);
    peer.refusals.clear();
    await eventually(() => {
      fixture.mailboxes.clock.advance(1);
      return isDone(fixture.mailboxes, domain);
    });
    for (const one of go.splice(0)) one();
    expect(arrived()).toEqual(sent);
    expect(peer.repeated).toBe(0);
  });

  it("where large transactions are divided by recipients", async () => {
    const config = { outboxMinBackoffSeconds: 1, outboxMaxBackoffSeconds: 1 };
    peer.max = 200;
    peer.namesRecipients = true;
    const recipients = Array.from({ length: 31 }, () => remote(domain));
    let attempts = 0;
    peer.behave = async (_, take) => {
      attempts += 1;
      const number = attempts;
      await new Promise((resolve) => setTimeout(resolve, (number * 37) % 101));
      if (number % 11 === 5) return answer(503, {});
      if (number % 13 === 7) return answer(401, {});
      if (number % 7 === 3) peer.refusals.set(recipients[number]?.address ?? "", "QUEUE_FULL");
      else peer.refusals.clear();
      const given = take();
      // It has arrived, and the answer is lost.
      if (number % 9 === 8) broken();
      return given;
    };
    await start(config);
    const many = Array.from({ length: 1_600 }, (_, i) => recipients[(i * i) % 31] as Remote);
    await send(many);
    await eventually(() => peer.attempts.length > 5);
    node.die();
    await start(config);
    await eventually(() => {
      fixture.mailboxes.clock.advance(1);
      return isDone(fixture.mailboxes, domain);
    });
    expect(arrived()).toEqual(sent);
  });

  it("where a node dies with several on their way, of which the peer has some", async () => {
    const go = holdAttempts(peer);
    await start();
    const recipients = Array.from({ length: 4 }, () => remote(domain));
    for (const [i, one] of recipients.entries()) {
      await send([one]);
      await eventually(() => go.length === i + 1);
    }
    const before = peer.attempts.map(({ id, body }) => ({ id, body }));
    // The third one has arrived. Its answer comes to nobody.
    const lost = go.splice(2, 1)[0];
    node.die();
    lost?.();
    await eventually(() => peer.arrived.length === 1);
    await tableOf(fixture.mailboxes.db, "outbox").where({ domain }).count();
    peer.behave = (_, take) => take();
    await start();
    await send(recipients);
    await done();
    const after = peer.attempts.slice(before.length, 2 * before.length).map(({ id, body }) => ({ id, body }));
    expect(after).toEqual(before);
    expect(arrived()).toEqual(sent);
    expect(peer.repeated).toBe(0);
    // What was held at the dead node arrives after all.
    for (const one of go.splice(0)) one();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(arrived()).toEqual(sent);
  });
});
