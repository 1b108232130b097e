import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { PeerAnswer } from "../../src/federation/peers/types.js";
import {
  createOutboxFixture,
  eventually,
  isDone,
  noteReached,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { answer, createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

// A node whose lease has ended while it waited for an answer sends nothing more: the next holder decides what is sent. No lease
// ends early.

/** Long enough for the node to do what it should not. */
const whileMillis = 300;
let fixture: OutboxFixture;
let domain: string;
let count = 0;
let peer: ScriptedPeer;
let first: OutboxNode;
let second: OutboxNode | undefined;
/** Answers an attempt, by the number of attempts before it. Without an answer, the peer processes it. */
let respond: ((answered?: PeerAnswer) => void)[];

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  domain = `lost${count++}.test`;
  respond = [];
  second = undefined;
  peer = createScriptedPeer();
  peer.behave = async (_, take) => (await new Promise<PeerAnswer | undefined>((go) => respond.push(go))) ?? take();
  first = await fixture.node({ calls: peer });
  await noteReached(fixture.mailboxes, domain);
});
afterEach(async () => {
  for (const go of respond) go();
  for (const node of [first, second]) await node?.stop();
});
afterAll(() => fixture.stop());

it.each([
  ["a refusal of the whole transaction", answer(400, { error: "FORBIDDEN" })],
  ["an expired token", answer(401, { error: "INVALID_TOKEN" })],
])("a delayed transaction is not sent again after %s", async (_, refusal) => {
  const { mailboxes } = fixture;
  const from = await mailboxes.device();
  const { ids } = await sendTo(first, mailboxes, { from, recipients: [remote(domain)] });
  await eventually(() => respond.length === 1);
  respond[0]?.(answer(200, "<title>Welcome</title>"));
  mailboxes.clock.advance(60);
  await eventually(() => respond.length === 2);

  second = await fixture.node({ calls: peer });
  await mailboxes.db.run(
    "update outbox_destinations set lease_until = clock_timestamp() - interval '1 s' where domain = :domain::text",
    { domain },
  );
  await eventually(() => respond.length === 3);
  respond[1]?.(refusal);
  await new Promise((resolve) => setTimeout(resolve, whileMillis));
  respond[2]?.();
  await eventually(() => isDone(mailboxes, domain));
  expect([peer.attempts.length, peer.arrived.map((message) => message.message_id)]).toEqual([3, ids]);
});

it("a node that nobody has heard of yet keeps its lease", async () => {
  const { db } = fixture.mailboxes;
  const lease = { domain, node: "ab".repeat(8) };
  await db.run(
    `insert into nodes (node_id, started_at, heartbeat_at, listens_at)
     values (:node::text, 1, clock_timestamp(), '')`,
    { node: lease.node },
  );
  await db.run(
    `update outbox_destinations
     set lease_node = :node::text, lease_id = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'
     where domain = :domain::text`,
    lease,
  );
  await new Promise((resolve) => setTimeout(resolve, whileMillis));
  expect(await db.one("select lease_node from outbox_destinations where domain = :domain::text", { domain })).toEqual({
    lease_node: lease.node,
  });
  await db.run("delete from nodes where node_id = :node::text", { node: lease.node });
  await eventually(() => isDone(fixture.mailboxes, domain));
});
