import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../support/api.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

let database: TestDatabase;
let nodes: [TestRelay, TestRelay, TestRelay];

beforeAll(async () => {
  database = await createTestDatabase();
  const first = await startRelay({ databaseUrl: database.url });
  const next = () => startRelay(first.config, { clock: first.clock });
  nodes = [first, await next(), await next()];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.drop();
});

/** The same device, talking to another node. */
async function sendAt(node: TestRelay, from: TestDevice, to: TestDevice) {
  return call(node, "sendMessage", { token: from.token, body: message(node, to.address) });
}

test("a message sent at any node is pushed on the recipient's stream at another, and acknowledged at a third", async () => {
  const [one, two, three] = nodes;
  const [anna, ben] = [await newDevice(one), await newDevice(two)];
  const stream = await openDeviceStream(three.url, ben.token);
  for (const node of nodes) {
    const { status, body } = await sendAt(node, anna, ben);
    expect({ status, estimate: body.delivery_estimate }).toEqual({ status: 202, estimate: "immediate" });
    const { data } = await stream.next("message");
    expect(data.message_id).toBe(body.message_id);
    const ids = { message_ids: [data.message_id] };
    const taken = await call(one, "acknowledgeMessages", { token: ben.token, body: ids });
    expect(taken.body.acknowledged_count).toBe(1);
  }
  expect((await call(two, "pollMessages", { token: ben.token })).body.messages).toEqual([]);
  const newer = await openDeviceStream(one.url, ben.token);
  expect(await stream.closed).toMatchObject({ code: 4009 });
  await newer.close();
});

test("the limit of a device is one, however many nodes it sends through", async () => {
  const [one] = nodes;
  const [anna, ben] = [await newDevice(one), await newDevice(one)];
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) => sendAt(nodes[i % nodes.length] as TestRelay, anna, ben)),
  );
  // Ten in the New tier, by the specification.
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(14);
});

test("a device blocked through one node may send through none", async () => {
  const [one] = nodes;
  const [anna, ben] = [await newDevice(one), await newDevice(one)];
  const sql = "update devices set blocked_at = :now::bigint where device_id = :deviceId";
  await database.db.run(sql, { now: one.clock.nowSeconds(), deviceId: anna.deviceId });
  for (const node of nodes) expect((await sendAt(node, anna, ben)).status).not.toBe(202);
});

test("settings changed at one node apply at all", async () => {
  await database.db.run("update settings set value = 'false' where key = 'rate_limiting.enabled'");
  await database.db.run("update settings_version set version = version + 1");
  const [one] = nodes;
  const [anna, ben] = [await newDevice(one), await newDevice(one)];
  const refused = async () => {
    const sends = Array.from({ length: 24 }, (_, i) => sendAt(nodes[i % nodes.length] as TestRelay, anna, ben));
    return (await Promise.all(sends)).filter(({ status }) => status !== 202);
  };
  await expect.poll(refused).toEqual([]);
});

test("every job has one runner; when it loses the database, one takes over", async () => {
  const leaders = () =>
    database.db.rows<{ pid: number }>(
      `select pid from pg_locks
       where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
         and database = (select oid from pg_database where datname = current_database())`,
    );
  await expect.poll(async () => (await leaders()).length).toBe(1);
  const [before] = await leaders();
  await database.db.run("select pg_terminate_backend(:pid::integer)", { pid: before?.pid });
  await expect.poll(async () => (await leaders()).filter(({ pid }) => pid !== before?.pid).length).toBe(1);
});
