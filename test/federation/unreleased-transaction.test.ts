import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { holdTransaction } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { createOriginFixture, deliver, messagesFor, type OriginFixture, tokenFor } from "./origin-fixture.js";

let fixture: OriginFixture;
let database: TestDatabase;
let proxy: TcpProxy;
let relay: TestRelay;

beforeAll(async () => {
  fixture = await createOriginFixture();
  database = await createTestDatabase();
  const databaseUrl = new URL(database.url);
  proxy = await startTcpProxy(Number(databaseUrl.port));
  databaseUrl.host = `127.0.0.1:${proxy.port}`;
  relay = await startRelay({ ...fixture.config, databaseUrl: databaseUrl.href });
});
afterAll(async () => {
  await relay.stop();
  await proxy.stop();
  await database.drop();
  await fixture.stop();
});

it("a transaction that failed while the database was away can be delivered again", async () => {
  const origin = await fixture.origin("peer.example");
  const recipient = await newDevice(relay);
  const delivery = {
    ...{ token: await tokenFor(relay, origin), origin: origin.domain },
    ...{ messages: messagesFor(relay, recipient, 2), transactionId: randomUUID() },
  };
  const held = await holdTransaction(database.db);
  await held.run("insert into queues (device_id) values (:id) on conflict (device_id) do update set device_id = :id", {
    id: recipient.deviceId,
  });
  const first = deliver(relay, delivery);
  const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await database.db.rows(waits)).length > 0, "the delivery waits for the queue");
  proxy.open = false;
  proxy.cut();
  expect((await first).status).toBe(503);
  await held.rollback();
  proxy.open = true;
  await until(async () => (await recipient.poll().catch(() => undefined))?.status === 200, "the database is back");
  const again = await deliver(relay, delivery);
  expect([again.status, again.body.status]).toEqual([200, "accepted"]);
  const { body } = await recipient.poll();
  expect(body.messages.map((message) => message.message_id)).toEqual(again.body.accepted_messages);
});
