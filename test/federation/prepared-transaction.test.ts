import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FixtureDevice } from "../messages/fixture.js";
import { tableOf } from "../support/table.js";
import {
  createOutboxFixture,
  destination,
  eventually,
  isDone,
  noteReached,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { createScriptedPeer, holdAttempts, type ScriptedPeer } from "./scripted-peer.js";

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
let node: OutboxNode;
let domain: string;
let count = 0;
/** Lets the attempt that waits be answered. */
let go: (() => void)[];

const size = 10;
const config = { outboxTransactionMessages: size, outboxTransactionsInFlight: 1 };

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  from = await fixture.mailboxes.device({ custom_limit: 1000 });
  domain = `ahead${count++}.test`;
  peer = createScriptedPeer();
  go = holdAttempts(peer);
  node = await fixture.node({ calls: peer, config });
  await noteReached(fixture.mailboxes, domain);
});
afterEach(async () => {
  for (const one of go) one();
  await node.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => fixture.stop());

const recipients = (number: number) => Array.from({ length: number }, () => remote(domain));
const send = async (to: ReturnType<typeof remote>[], given: { bytes?: number } = {}) => {
  const { ids } = await sendTo(node, fixture.mailboxes, { from, recipients: to, ...given });
  await eventually(() => go.length === 1);
  // What is read ahead has been read by now.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return ids;
};
/** Answers what is on its way and what follows. */
const answerAll = async () => {
  peer.behave = (_, take) => take();
  go.shift()?.();
  await eventually(() => isDone(fixture.mailboxes, domain));
};
/** What is stored of the first two transactions without an answer. */
const stored = async () => {
  const row = await tableOf(fixture.mailboxes.db, "outbox_destinations").where({ domain }).first();
  const [first, next] = await tableOf(fixture.mailboxes.db, "outbox_transactions")
    .where({ domain })
    .orderByRaw("positions[1]")
    .select("id", "positions");
  return {
    failures: row.failures,
    transaction_id: first?.id ?? null,
    next_transaction_id: next?.id ?? null,
    next_transaction_positions: next?.positions,
  };
};
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const arrivedIds = () => peer.arrived.map((message) => message.message_id);

describe("the transaction that is prepared while another is in flight", () => {
  it("is stored before that one is answered, and sent as it was stored", async () => {
    await send(recipients(3 * size));
    const before = await stored();
    expect([before.transaction_id, before.next_transaction_id]).toEqual([peer.attempts[0]?.id, expect.any(String)]);
    expect(before.next_transaction_positions).toHaveLength(size);
    go.shift()?.();
    await eventually(async () => {
      const { transaction_id, next_transaction_id } = await stored();
      return go.length === 1 && transaction_id === before.next_transaction_id && next_transaction_id !== null;
    });
    const after = await stored();
    expect(peer.attempts.map(({ id }) => id)).toEqual([before.transaction_id, after.transaction_id]);
    expect(after.next_transaction_positions).toEqual(numbers(2 * size + 1, 3 * size));
    expect(await destination(fixture.mailboxes, domain)).toMatchObject({ messages: 2 * size, rows: 2 * size });
    await answerAll();
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([size, size, size]);
    expect([peer.maxAtOnce, peer.repeated]).toEqual([1, 0]);
    expect(await stored()).toMatchObject({ transaction_id: null, next_transaction_id: null });
  });

  it("has fewer messages where these have as many bytes as are read ahead", async () => {
    const mebibyte = 1_048_576;
    await send(recipients(3 * size), { bytes: mebibyte / 4 });
    const { next_transaction_positions: positions } = await stored();
    expect(positions).toEqual(numbers(size + 1, size + 4));
    await answerAll();
    expect(peer.attempts.slice(0, 2).map(({ messages }) => messages.length)).toEqual([size, 4]);
    expect([peer.arrived.length, peer.repeated]).toEqual([3 * size, 0]);
  });

  it("is not sent with a message that was removed in the meantime", async () => {
    const ids = await send(recipients(2 * size));
    await tableOf(fixture.mailboxes.db, "outbox")
      .where({ domain, position: size + 2 })
      .update({ expires_at: 1 });
    await node.outbox.expireWaiting();
    await answerAll();
    expect(arrivedIds()).toEqual(ids.filter((_, i) => i !== size + 1));
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([size, size - 1]);
  });

  it("is not sent if a recipient of both is deferred", async () => {
    const all = recipients(2 * size);
    const [full] = all as [ReturnType<typeof remote>];
    all[size + 1] = full;
    peer.refusals.set(full.address, "QUEUE_FULL");
    const ids = await send(all);
    peer.behave = (_, take) => take();
    go.shift()?.();
    await eventually(() => peer.arrived.length === 2 * size - 2);
    peer.refusals.clear();
    fixture.mailboxes.clock.advance(4000);
    await answerAll();
    expect(arrivedIds().slice(-2)).toEqual([ids[0], ids[size + 1]]);
    expect([peer.maxAtOnce, peer.repeated]).toEqual([1, 0]);
  });

  it("is sent by the next node under the id that was stored", async () => {
    await send(recipients(2 * size));
    go.shift()?.();
    await eventually(() => go.length === 1);
    const [, second] = peer.attempts;
    node.die();
    peer.behave = (_, take) => take();
    node = await fixture.node({ calls: peer, config });
    await eventually(() => isDone(fixture.mailboxes, domain));
    expect(peer.attempts.slice(2).map(({ id }) => id)).toEqual([second?.id]);
    expect(peer.attempts[2]?.body.equals(second?.body as Buffer)).toBe(true);
    expect([peer.arrived.length, peer.repeated]).toEqual([2 * size, 0]);
  });
});
