import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { isDistributed } from "../support/backends.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { holdQueue } from "../support/held-queue.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { createOriginFixture, deliver, messagesFor, type OriginFixture, tokenFor } from "./origin-fixture.js";

vi.setConfig({ testTimeout: 240_000 });

let fixture: OriginFixture;
let database: TestDatabase;
/** Between the first node and the database. */
let proxy: TcpProxy;
let relay: TestRelay;
/** A second node, with a way to the database of its own. */
let node: TestRelay;
let recipient: TestDevice;
let token: string;

const domain = "peer.example";

beforeAll(async () => {
  fixture = await createOriginFixture();
  database = await createTestDatabase();
  const way = new URL(database.url);
  proxy = await startTcpProxy(Number(way.port));
  way.host = `127.0.0.1:${proxy.port}`;
  relay = await startRelay({ ...fixture.config, databaseUrl: way.href, federationTransactionWaitSeconds: 1 });
  node = await startRelay({ ...relay.config, databaseUrl: database.url }, { clock: relay.clock });
  recipient = await newDevice(node);
  token = await tokenFor(node, await fixture.origin(domain));
  // Its queue has a row, which can be locked, once it has had a message.
  await deliver(node, { token, origin: domain, messages: messagesFor(node, recipient, 1) });
});
afterAll(async () => {
  await node.stop();
  await relay.stop();
  await proxy.stop();
  await database.drop();
  await fixture.stop();
});

/** A delivery whose node loses the database while it processes it, so that it can neither answer it nor release its claim. */
async function abandon(messages: readonly unknown[], transactionId: string): Promise<void> {
  const held = await holdQueue(database.url, recipient.deviceId);
  const failed = deliver(relay, { token, origin: domain, messages, transactionId });
  await held.waited();
  proxy.open = false;
  proxy.cut();
  expect((await failed).status).toBe(503);
  await held.letGo();
  const claimed = await database.db.rows(
    "select 1 from federation_transactions where transaction_id = :transactionId::uuid and answer is null",
    { transactionId },
  );
  expect(claimed).toHaveLength(1);
  proxy.open = true;
}

// What blocks a transaction is known on the machine of its rows only.
it.skipIf(isDistributed).each([
  ["the node that had claimed it", () => relay],
  ["another node, although the first one lives", () => node],
])("a delivery whose claim has been abandoned is taken over by %s", async (_by, taker) => {
  const [messages, transactionId] = [messagesFor(relay, recipient, 3), randomUUID()];
  await abandon(messages, transactionId);
  const statuses: number[] = [];
  await until(async () => {
    const { status } = await deliver(taker(), { token, origin: domain, messages, transactionId });
    statuses.push(status);
    return status === 200;
  }, "the delivery is accepted");
  const ids = messages.map(({ message_id: id }) => id);
  const received = demand(await recipient.poll({ limit: 1000 })).body.messages.map(({ message_id: id }) => id);
  expect(received.filter((id) => ids.includes(id))).toEqual(ids);
});

it("a claim of a node that nobody has heard of yet is left to it", async () => {
  const patient = await startRelay(
    { ...relay.config, databaseUrl: database.url, federationTransactionWaitSeconds: 300 },
    { clock: relay.clock },
  );
  const [messages, transactionId] = [messagesFor(relay, recipient, 1), randomUUID()];
  const claim = { transactionId, origin: domain, claim: randomUUID(), other: "cd".repeat(8) };
  await database.db.run(
    `insert into nodes (node_id, started_at, heartbeat_at, listens_at)
     values (:other::text, 1, clock_timestamp(), '')`,
    claim,
  );
  await database.db.run(
    `insert into federation_transactions (origin, transaction_id, digest, claim, node, expires_at)
     values (:origin::text, :transactionId::uuid, '', :claim::uuid, :other::text, 1e12)`,
    claim,
  );
  const delivered = deliver(patient, { token, origin: domain, messages, transactionId });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const found = "select claim, answer from federation_transactions where transaction_id = :transactionId::uuid";
  expect(await database.db.one(found, claim)).toEqual({ claim: claim.claim, answer: null });
  await database.db.run("delete from nodes where node_id = :other::text", claim);
  expect((await delivered).status).toBe(200);
  await patient.stop();
});
