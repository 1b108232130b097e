import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Domain } from "../../src/protocol/address.js";
import type { FixtureDevice } from "../messages/fixture.js";
import { expectDuring, timed } from "../support/during.js";
import { tableOf } from "../support/table.js";
import {
  createOutboxFixture,
  destination,
  eventually,
  isDone,
  type OutboxFixture,
  type OutboxNode,
  type OutboxNodeOptions,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { broken, createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

const operator = { admin: null, ipAddress: null, userAgent: null };
const hour = 3_600;
const day = 86_400;

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
const nodes: OutboxNode[] = [];
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
  for (const node of nodes.splice(0)) await node.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => fixture.stop());

const start = async (options: Partial<OutboxNodeOptions> = {}) => {
  const node = await fixture.node({ calls: peer, ...options });
  nodes.push(node);
  return node;
};
const recipients = (number: number) => Array.from({ length: number }, () => remote(domain));
const send = (node: OutboxNode, to: ReturnType<typeof remote>[], bytes = 64) =>
  sendTo(node, fixture.mailboxes, { from, recipients: to, bytes });
const done = () => eventually(() => isDone(fixture.mailboxes, domain));
const clock = () => fixture.mailboxes.clock;
const state = () => destination(fixture.mailboxes, domain);
const errors = (outcomes: Awaited<ReturnType<typeof send>>["outcomes"]) =>
  outcomes.map((outcome) => ("error" in outcome ? outcome.error : outcome.status));
const switchOff = (enabled: boolean) => fixture.mailboxes.settings.update({ federation: { enabled } }, "test");
const down = () => broken();
/** Waits until a delivery has failed. Others may follow before a test does, unless the wait is a long one. */
const failed = () => eventually(async () => ((await state())?.failures ?? 0) >= 1);

describe("a message for another server is refused", () => {
  it("while federation is off, and waiting messages are sent once it is on again", async () => {
    // No attempt is due, or on its way, while it is being switched off.
    const node = await start({ config: { outboxMinBackoffSeconds: hour }, fraction: () => 1 });
    peer.behave = down;
    await send(node, recipients(2));
    await failed();
    await switchOff(false);
    try {
      await eventually(async () => errors((await send(node, recipients(1))).outcomes)[0] === "FEDERATION_DISABLED");
      const { length } = peer.attempts;
      peer.behave = (_, take) => take();
      clock().advance(hour + 10);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(peer.attempts).toHaveLength(length);
    } finally {
      await switchOff(true);
    }
    await done();
    expect(peer.arrived).toHaveLength(2);
  });

  it("while federation is off, and nothing follows the transaction that is in flight", async () => {
    const node = await start({ config: { outboxTransactionMessages: 1 } });
    peer.behave = down;
    await send(node, recipients(5));
    await failed();
    peer.behave = async (_, take) => {
      await switchOff(false);
      return take();
    };
    const { length } = peer.attempts;
    clock().advance(10);
    try {
      await eventually(async () => (await state())?.messages === 4);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(peer.attempts).toHaveLength(length + 1);
    } finally {
      peer.behave = (_, take) => take();
      await switchOff(true);
    }
    await done();
    expect([peer.arrived.length, peer.repeated]).toEqual([5, 0]);
  });

  it("while this server has no certificate", async () => {
    const node = await start();
    peer.ready = false;
    expect(errors((await send(node, recipients(1))).outcomes)).toEqual(["FEDERATION_DISABLED"]);
  });

  it("while the server is blocked, and waiting messages are not sent", async () => {
    let blocked = true;
    const node = await start({ admits: () => !blocked });
    const { outcomes } = await send(node, [...recipients(2), remote(`other.${domain}`)]);
    expect(errors(outcomes)).toEqual(["FEDERATION_FAILED", "FEDERATION_FAILED", "FEDERATION_FAILED"]);
    blocked = false;
    peer.behave = down;
    await send(node, recipients(1));
    await failed();
    const { length } = peer.attempts;
    blocked = true;
    clock().advance(10);
    await eventually(async () => (await state())?.problem === "blocked here");
    expect(peer.attempts).toHaveLength(length);
    blocked = false;
    peer.behave = (_, take) => take();
    clock().advance(10);
    await done();
  });

  it("beyond the destination's number of messages, which is smaller until the destination was reached", async () => {
    const node = await start({ config: { outboxUnreachedMessages: 3, outboxMessagesPerDestination: 5 } });
    peer.behave = down;
    const first = await send(node, [...recipients(4), remote(`other.${domain}`)]);
    expect(errors(first.outcomes)).toEqual(["federated", "federated", "federated", "QUEUE_FULL", "federated"]);
    expect(await state()).toMatchObject({ messages: 3, rows: 3 });
    peer.behave = (_, take) => take();
    clock().advance(10);
    await done();
    peer.behave = down;
    const second = await send(node, recipients(6));
    expect(errors(second.outcomes).filter((text) => text === "federated")).toHaveLength(5);
  });

  it("beyond the destination's bytes, while smaller ones still fit", async () => {
    const node = await start({ config: { outboxUnreachedBytes: 1000 } });
    peer.behave = down;
    expect(errors((await send(node, recipients(3), 400)).outcomes)).toEqual(["federated", "federated", "QUEUE_FULL"]);
    expect(errors((await send(node, recipients(1), 200)).outcomes)).toEqual(["federated"]);
    expect(await state()).toMatchObject({ bytes: 1000, messages: 3 });
  });

  it("beyond the sender's limit, and create no destination", async () => {
    from = await fixture.mailboxes.device({ custom_limit: 1 });
    const node = await start();
    peer.behave = down;
    const others = Array.from({ length: 3 }, (_, i) => remote(`over${i}.${domain}`));
    const { outcomes } = await send(node, others);
    expect(errors(outcomes)).toEqual(["federated", "RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED"]);
    const created = await tableOf(fixture.mailboxes.db, "outbox_destinations").whereLike("domain", `over%.${domain}`);
    expect(created.map((row) => row.domain)).toEqual([others[0]?.domain]);
  });

  it("beyond the total, whatever the destination", async () => {
    const node = await start({ config: { outboxTotalMessages: 3 } });
    peer.behave = down;
    const others = Array.from({ length: 4 }, (_, i) => remote(`n${i}.${domain}`));
    expect(errors((await send(node, others)).outcomes).filter((text) => text === "QUEUE_FULL")).toHaveLength(1);
  });

  it("and may be sent again under its id once there is room; its sender has lost nothing of the limit", async () => {
    from = await fixture.mailboxes.device({ custom_limit: 3 });
    const node = await start({ config: { outboxUnreachedMessages: 1 } });
    peer.behave = down;
    const envelopes = recipients(3).map((one) => fixture.mailboxes.envelope(one, { domain }));
    const accept = () => node.mailbox.accept({ kind: "device", deviceId: from.deviceId }, envelopes);
    expect(errors(await accept())).toEqual(["federated", "QUEUE_FULL", "QUEUE_FULL"]);
    peer.behave = (_, take) => take();
    clock().advance(10);
    await done();
    expect(errors(await accept())).toEqual(["duplicate", "federated", "federated"]);
    await done();
    expect(peer.arrived.map((message) => message.message_id)).toEqual(envelopes.map(({ messageId }) => messageId));
  });
});

describe("a peer that is down for a day", () => {
  it("costs a few dozen attempts and is caught up with as soon as it calls", async () => {
    const node = await start({ fraction: () => 0.5 });
    peer.behave = down;
    const to = recipients(30);
    for (let sent = 0; sent < 300; sent += 30) await send(node, to);
    const begun = clock().nowSeconds();
    while (clock().nowSeconds() - begun < day) {
      const { failures = 0, next_attempt_millis: next } = (await state()) ?? {};
      clock().advance(Math.max(1, Math.ceil(((next ?? 0) - clock().nowMillis()) / 1000)));
      await eventually(async () => ((await state())?.failures ?? 0) > failures);
    }
    expect(peer.attempts.length).toBeLessThan(70);
    expect(new Set(peer.attempts.map(({ id }) => id)).size).toBe(1);
    peer.behave = (_, take) => take();
    node.outbox.peerCalled(domain as Domain);
    await done();
    expect(peer.arrived).toHaveLength(300);
    expect(new Set(peer.arrived.map((message) => message.message_id)).size).toBe(300);
  });

  it("does not delay other peers, even if many of them are down", async () => {
    const node = await start({ config: { outboxConcurrentDestinations: 4, outboxUnreachedDestinations: 4 } });
    const dead = Array.from({ length: 12 }, (_, i) => remote(`dead${i}.${domain}`));
    const hang: (() => void)[] = [];
    peer.behave = ({ domain: to }, take) => (to.startsWith("dead") ? broken() : take());
    await send(node, dead);
    await eventually(async () => {
      const failed = await tableOf(fixture.mailboxes.db, "outbox_destinations").where("failures", ">", 0);
      return failed.length === dead.length;
    });
    peer.behave = ({ domain: to }, take) =>
      to.startsWith("dead") ? new Promise((_, reject) => hang.push(() => reject(new Error("gone")))) : take();
    clock().advance(10);
    await eventually(() => hang.length === 2);
    await send(node, recipients(3));
    await done();
    expect(hang).toHaveLength(2);
    peer.behave = down;
    for (const end of hang) end();
  });
});

describe("two nodes with one outbox", () => {
  it("deliver to one destination one at a time, in order, and lose and double nothing", async () => {
    const [one, two] = [await start(), await start()];
    const to = recipients(5);
    const all: string[] = [];
    for (let i = 0; i < 20; i++) all.push(...(await send(i % 2 === 0 ? one : two, to)).ids);
    await done();
    expect(peer.maxAtOnce).toBe(1);
    expect(peer.arrived.map((message) => message.message_id)).toEqual(all);
    expect(peer.repeated).toBe(0);
  });

  it("take over from each other within seconds when one dies between request and answer", async () => {
    const one = await fixture.node({ calls: peer });
    const stuck: (() => void)[] = [];
    peer.behave = async (_, take) => {
      const taken = take();
      if (stuck.length === 0) await new Promise<void>((resolve) => stuck.push(resolve));
      return taken;
    };
    const { ids } = await send(one, recipients(10));
    await eventually(() => stuck.length === 1);
    // Only now: either node could have been the one to deliver.
    const two = await start();
    one.die();
    await eventually(() => peer.attempts.length === 2);
    for (const end of stuck) end();
    const { ids: more } = await send(two, recipients(10));
    await done();
    expect(peer.arrived.map((message) => message.message_id)).toEqual([...ids, ...more]);
    expect(peer.attempts[1]?.id).toBe(peer.attempts[0]?.id);
    expect(peer.repeated).toBe(0);
  });

  it("hand over when one stops gracefully", async () => {
    const [one, two] = [await fixture.node({ calls: peer }), await start()];
    peer.behave = down;
    await send(one, recipients(10));
    await failed();
    await one.stop();
    peer.behave = (_, take) => take();
    clock().advance(10);
    await done();
    expect(peer.arrived).toHaveLength(10);
    expect(two.mailbox).toBeDefined();
  });
});

describe("a server that is unblocked", () => {
  it("is tried at once, on any port and with the names below it, and no other server is", async () => {
    const node = await start({ config: { outboxMinBackoffSeconds: hour }, fraction: () => 1 });
    peer.behave = down;
    const [port, below, other] = [`${domain}:8443`, `sub.${domain}`, `not${domain}`];
    const states = async () => {
      const rows = await tableOf(fixture.mailboxes.db, "outbox_destinations").whereIn("domain", [port, below, other]);
      return new Map(rows.map((row) => [row.domain, row.messages]));
    };
    await send(node, [port, below, other].map(remote));
    await eventually(() => peer.attempts.length === 3);
    await eventually(
      async () => (await tableOf(fixture.mailboxes.db, "outbox_destinations").where({ failures: 1 })).length === 3,
    );
    peer.behave = (_, take) => take();
    node.outbox.unblocked(domain);
    await eventually(async () => (await states()).get(port) === 0 && (await states()).get(below) === 0);
    expect((await states()).get(other)).toBe(1);
  });
});

describe("a message that waits too long", () => {
  it("is removed and counted when the retention is over", async () => {
    const node = await start();
    peer.behave = down;
    await send(node, recipients(3));
    await failed();
    await node.metrics.flush();
    const before = await node.metrics.total("federated_messages_expired");
    clock().advance(31 * day);
    expect(await node.outbox.expireWaiting()).toBe(3);
    expect(await state()).toMatchObject({ messages: 0, bytes: 0, rows: 0 });
    await node.metrics.flush();
    expect((await node.metrics.total("federated_messages_expired")) - before).toBe(3);
    await eventually(async () => (await state())?.next_attempt_millis === null);
    clock().advance(91 * day);
    await node.outbox.forgetDestinations();
    expect(await state()).toBeUndefined();
  });
});

describe("an operator", () => {
  const entries = (action: string) =>
    tableOf(fixture.mailboxes.db, "audit_entries").where({ action, target: domain }) as Promise<
      Record<string, unknown>[]
    >;

  it("sees the waiting messages by destination, and the problem", async () => {
    const node = await start({ config: { outboxMinBackoffSeconds: hour } });
    peer.behave = down;
    const sending = await timed(clock(), () => send(node, recipients(3), 100));
    await failed();
    const [backlog] = await node.outbox.backlogs(fixture.mailboxes.db, 10);
    expect(backlog).toMatchObject({ domain, messages: 3, bytes: 300, failures: 1, problem: "connection" });
    expect(backlog).toMatchObject({ reachedAt: null, sending: false });
    expectDuring(backlog?.oldestAt, sending);
  });

  it("can retry a destination at once", async () => {
    const node = await start({ config: { outboxMinBackoffSeconds: hour }, fraction: () => 1 });
    peer.behave = down;
    await send(node, recipients(1));
    for (let failures = 1; failures < 8; failures++) {
      await eventually(async () => (await state())?.failures === failures);
      if (failures < 7) clock().advance(hour);
    }
    peer.behave = (_, take) => take();
    await node.outbox.retry(domain, operator);
    await done();
    expect(await entries("outbox_retried")).toHaveLength(1);
  });

  it("can drop the messages for a destination", async () => {
    const node = await start({ config: { expiryStepRows: 2 } });
    peer.behave = down;
    await send(node, recipients(5));
    await failed();
    expect(await node.outbox.purge(domain, operator)).toBe(5);
    expect(await state()).toMatchObject({ messages: 0, bytes: 0, rows: 0 });
    expect(await entries("outbox_purged")).toHaveLength(1);
    peer.behave = (_, take) => take();
    const { ids } = await send(node, recipients(1));
    clock().advance(10);
    await done();
    expect(peer.arrived.map((message) => message.message_id)).toEqual(ids);
  });

  it("gets NOT_FOUND if no messages are waiting", async () => {
    const node = await start();
    await expect(node.outbox.retry("nobody.test", operator)).rejects.toMatchObject({ id: "NOT_FOUND" });
    await expect(node.outbox.purge("nobody.test", operator)).rejects.toMatchObject({ id: "NOT_FOUND" });
  });
});

describe("of a device", () => {
  it("the servers it wrote to and the numbers are known, without a sender in the outbox", async () => {
    const node = await start();
    const [other, third] = [`a.${domain}`, `b.${domain}`];
    await send(node, [remote(other), remote(third), remote(third)]);
    clock().advance(day);
    await send(node, [remote(other)]);
    await node.mailbox.accept({ kind: "peer", domain: other }, [fixture.mailboxes.envelope(from)]);
    const known = await node.mailbox.federationOf(fixture.mailboxes.db, from.deviceId);
    expect(known).toEqual({ domains: [other, third], sent: 4, received: 1 });
    const columns = await fixture.mailboxes.db.rows<{ name: string }>(
      "select attname::text as name from pg_attribute where attrelid = 'outbox'::regclass and attnum > 0",
    );
    expect(columns.map(({ name }) => name).filter((name) => /sender|device|from/.test(name))).toEqual([
      "sender_signature",
    ]);
  });

  it("old servers and those beyond the hundred latest are forgotten, their numbers are not", async () => {
    const node = await start({ config: { outboxUnreachedMessages: 1000 } });
    for (let i = 0; i < 3; i++) {
      await send(
        node,
        Array.from({ length: 40 }, (_, n) => remote(`n${i}x${n}.${domain}`)),
      );
      clock().advance(day);
    }
    await node.mailbox.forgetOldDomains();
    const known = () => node.mailbox.federationOf(fixture.mailboxes.db, from.deviceId);
    expect((await known()).domains).toHaveLength(100);
    expect((await known()).sent).toBe(120);
    clock().advance(40 * day);
    await node.mailbox.forgetOldDomains();
    expect(await known()).toEqual({ domains: [], sent: 120, received: 0 });
    await node.mailbox.forgetDevices(fixture.mailboxes.db, [from.deviceId]);
    expect(await known()).toEqual({ domains: [], sent: 0, received: 0 });
  });
});
