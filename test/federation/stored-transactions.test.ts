import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { FixtureDevice } from "../messages/fixture.js";
import { holdTransaction } from "../support/held-transaction.js";
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
import { answer, createScriptedPeer, holdAttempts, type ScriptedPeer } from "./scripted-peer.js";

// One transaction is on its way, and the one that follows is stored as well: whatever happens then, both are sent as they
// are stored, or their messages under other ids; nothing is lost, doubled or out of its order.

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
let node: OutboxNode;
let domain: string;
let count = 0;
/** Lets the attempt that waits longest be answered. */
let go: (() => void)[];
let ids: string[];
let others: OutboxNode[];

const size = 10;
const operator = { admin: null, ipAddress: null, userAgent: null };
const config = { outboxTransactionMessages: size, outboxTransactionsInFlight: 1 };
/** Longer than what was read stays fresh. */
const whileMillis = 200;

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  from = await fixture.mailboxes.device({ custom_limit: 1000 });
  domain = `both${count++}.test`;
  others = [];
  peer = createScriptedPeer();
  go = holdAttempts(peer);
  node = await fixture.node({ calls: peer, config });
  await noteReached(fixture.mailboxes, domain);
  const recipients = Array.from({ length: 3 * size }, () => remote(domain));
  ({ ids } = await sendTo(node, fixture.mailboxes, { from, recipients }));
  await eventually(async () => go.length === 1 && (await stored()).next_transaction_id !== null);
});
afterEach(async () => {
  for (const one of go) one();
  for (const one of [node, ...others]) await one.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => fixture.stop());

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
const sentIds = () => peer.attempts.map(({ id }) => id);
const arrivedIds = () => peer.arrived.map((message) => message.message_id);
/** The time of the message at a position is over. */
const expire = async (position: number) => {
  await tableOf(fixture.mailboxes.db, "outbox").where({ domain, position }).update({ expires_at: 1 });
  await node.outbox.expireWaiting();
};
/** Answers what is on its way and what follows. */
const answerAll = async () => {
  peer.behave = (_, take) => take();
  for (const one of go.splice(0)) one();
  await eventually(() => isDone(fixture.mailboxes, domain));
  expect(await stored()).toMatchObject({ transaction_id: null, next_transaction_id: null });
};
/** The node dies, what it sent never arrives, and another one takes the destination over. */
const takeOver = async (behave: ScriptedPeer["behave"] = (_, take) => take()) => {
  node.die();
  go = [];
  peer.behave = behave;
  node = await fixture.node({ calls: peer, config });
};

describe("with two transactions stored", () => {
  it("both are sent as they are stored by the next node, where the first had no answer", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    await takeOver();
    await answerAll();
    expect(sentIds().slice(0, 3)).toEqual([first, first, second]);
    expect(peer.attempts[1]?.body.equals(peer.attempts[0]?.body as Buffer)).toBe(true);
    expect([arrivedIds(), peer.repeated]).toEqual([ids, 0]);
  });

  it("both are sent again where the node dies between the first one's answer and its end", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    const own = createDatabase({ url: fixture.mailboxes.database.url, poolSize: 1 });
    const locking = await holdTransaction(own);
    await tableOf(locking, "outbox_destinations").where({ domain }).forUpdate().select();
    go.shift()?.();
    await eventually(() => go.length === 1);
    expect(sentIds()).toEqual([first, second]);
    node.die();
    await locking.run(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
    );
    await locking.rollback();
    await own.close();
    expect(await stored()).toMatchObject({ transaction_id: first, next_transaction_id: second });
    expect(await destination(fixture.mailboxes, domain)).toMatchObject({ messages: 3 * size, rows: 3 * size });
    peer.behave = (_, take) => take();
    for (const one of go.splice(0)) one();
    node = await fixture.node({ calls: peer, config });
    await answerAll();
    expect(sentIds().slice(2, 4)).toEqual([first, second]);
    expect(peer.attempts[3]?.body.equals(peer.attempts[1]?.body as Buffer)).toBe(true);
    expect([arrivedIds(), peer.repeated]).toEqual([ids, 0]);
  });

  it("both are sent in their order by a node that takes over while the first is on its way", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    others.push(await fixture.node({ calls: peer, config }));
    await fixture.mailboxes.db.run(
      "update outbox_destinations set lease_until = clock_timestamp() - interval '1 s' where domain = :domain",
      { domain },
    );
    await eventually(() => go.length === 2);
    expect(sentIds()).toEqual([first, first]);
    go.shift()?.();
    await eventually(async () => (await destination(fixture.mailboxes, domain))?.rows === 2 * size);
    // The node that lost the lease moves nothing of what the other one goes by.
    expect(await stored()).toMatchObject({ transaction_id: first, next_transaction_id: second });
    await answerAll();
    expect([arrivedIds(), peer.repeated]).toEqual([ids, 0]);
    // Either node may send the second one first. The other sends it too, or finds that nothing of it is left.
    expect(sentIds().slice(0, 3)).toEqual([first, first, second]);
  });

  it("both wait for the next attempt where the first one fails, and an operator has them tried at once", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    await takeOver(() => answer(500, {}));
    await eventually(async () => (await stored()).failures > 0);
    expect(await stored()).toMatchObject({ transaction_id: first, next_transaction_id: second });
    peer.behave = (_, take) => take();
    const before = peer.attempts.length;
    await node.outbox.retry(domain, operator);
    await answerAll();
    expect(sentIds().slice(before, before + 2)).toEqual([first, second]);
    expect([arrivedIds(), peer.repeated]).toEqual([ids, 0]);
  });

  it("neither is sent once more after an operator has dropped what waits", async () => {
    await new Promise((resolve) => setTimeout(resolve, whileMillis));
    expect(await node.outbox.purge(domain, operator)).toBe(3 * size);
    await answerAll();
    expect(arrivedIds()).toEqual(ids.slice(0, size));
    const recipients = [remote(domain)];
    const later = await sendTo(node, fixture.mailboxes, { from, recipients });
    await eventually(() => arrivedIds().length === size + 1);
    expect(arrivedIds().at(-1)).toBe(later.ids[0]);
    expect(peer.repeated).toBe(0);
  });

  it("the second goes under another id where one of its messages expired before the next node took over", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    await expire(size + 2);
    await takeOver();
    await answerAll();
    expect(sentIds().slice(0, 2)).toEqual([first, first]);
    expect(sentIds()).not.toContain(second);
    expect(arrivedIds()).toEqual(ids.filter((_, i) => i !== size + 1));
    expect(peer.repeated).toBe(0);
  });

  it("both are given up where a message of the first expired before the next node took over", async () => {
    const { transaction_id: first, next_transaction_id: second } = await stored();
    await expire(2);
    await takeOver();
    await answerAll();
    expect(sentIds().slice(1)).not.toContain(first);
    expect(sentIds()).not.toContain(second);
    expect(arrivedIds()).toEqual(ids.filter((_, i) => i !== 1));
    expect(peer.repeated).toBe(0);
  });

  it("the second is forgotten where the first is refused as a whole", async () => {
    const { next_transaction_id: second } = await stored();
    await takeOver(({ messages }, take) => (messages.length > size / 2 ? answer(413, {}) : take()));
    await eventually(() => isDone(fixture.mailboxes, domain));
    expect(sentIds()).not.toContain(second);
    expect([arrivedIds(), peer.repeated]).toEqual([ids, 0]);
  });
});
