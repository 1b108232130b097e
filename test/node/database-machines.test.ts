import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { listen, newClient, sendText } from "../client/harness.js";
import { call } from "../support/api.js";
import { createCitusDatabase } from "../support/citus.js";
import { findCitusPrograms, type Machine, type Machines, startMachines } from "../support/citus-machines.js";
import { runHere } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { testFolderPrefix } from "../support/database-names.js";
import { announcement, demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

// A relay on a distributed database whose machines the test may kill.

const newName = () => `test_${randomBytes(8).toString("hex")}`;
const programs = findCitusPrograms();
const patience = { timeout: 180_000 };

describe.skipIf(programs === undefined)("on a database of several machines", patience, () => {
  let machines: Machines;
  let database: Awaited<ReturnType<typeof createCitusDatabase>>;
  /** Two nodes on the coordinator. */
  let relay: TestRelay;
  let other: TestRelay;
  let doomed: Machine;

  beforeAll(async () => {
    machines = await startMachines(programs ?? "", 2);
    doomed = machines.workers[1] as Machine;
    database = await createCitusDatabase(machines.url, { name: newName(), empty: false });
    // No stream looks by itself for what notifications should have told it.
    const config = { databaseUrl: database.url, streamSafetyPollSeconds: 10_000 };
    relay = await startRelay({ ...config, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
    other = await startRelay(relay.config, { clock: relay.clock });
  });
  afterAll(async () => {
    await other?.stop();
    await relay?.stop();
    await machines?.stop();
  });

  /** The ports of the machines that hold a device's rows and its address. */
  async function portsOf(device: TestDevice): Promise<number[]> {
    const [prefix = ""] = device.address.split("@");
    return portsFrom(
      database.url,
      `select n.nodeport as port
       from pg_dist_placement as p join pg_dist_node as n using (groupid)
       where p.shardid in (get_shard_id_for_distribution_column('queues', :deviceId::text),
                           get_shard_id_for_distribution_column('addresses', :prefix::uuid))`,
      { deviceId: device.deviceId, prefix },
    );
  }

  /** The ports of the machines that hold the keys of messages. */
  async function portsOfKeys(url: string): Promise<number[]> {
    const keys = await ask<{ key: string }>(url, "select key from message_keys_with_expiry");
    return portsFrom(
      url,
      `select distinct n.nodeport as port
       from unnest(:keys::uuid[]) as given (key)
       join pg_dist_placement as p
         on p.shardid = get_shard_id_for_distribution_column('message_keys_with_expiry', given.key)
       join pg_dist_node as n using (groupid)`,
      { keys: keys.map(({ key }) => key) },
    );
  }

  async function portOfQueue(url: string, deviceId: string): Promise<number | undefined> {
    const sql = `select n.nodeport as port from pg_dist_placement as p join pg_dist_node as n using (groupid)
       where p.shardid = get_shard_id_for_distribution_column('queues', :deviceId::text)`;
    return (await portsFrom(url, sql, { deviceId }))[0];
  }

  /** A device whose device id and address lie on that machine, or on the other one. */
  async function deviceOn(machine: Machine, isThere: boolean): Promise<TestDevice> {
    for (;;) {
      const device = await newDevice(relay);
      const ports = await portsOf(device);
      if (ports.length === 2 && ports.every((port) => (port === machine.port) === isThere)) return device;
    }
  }

  it("a node that would enter at a worker does not start, and names the coordinator", async () => {
    const worker = new URL(database.url);
    worker.port = String(machines.workers[0]?.port);
    await expect(startRelay({ ...relay.config, databaseUrl: worker.href })).rejects.toThrow(
      new RegExp(`worker of Citus.*${new URL(database.url).host}`),
    );
  });

  it("nodes exchange messages and wake-ups", async () => {
    const [sender, receiver] = [await newClient(other), await newClient(relay)];
    const at = listen(receiver);
    for (const text of ["read on opening", "woken for"]) {
      await sendText(sender, receiver, text);
      await at.until(({ texts }) => texts.includes(text));
    }
    const back = listen(sender);
    for (const text of ["read on opening", "woken for"]) {
      await sendText(receiver, sender, text);
      await back.until(({ texts }) => texts.includes(text));
    }
  });

  it("messages that were sent before it was distributed are recognised, and new ones too", async () => {
    const { url, drop } = await createCitusDatabase(machines.url, { name: newName(), empty: false, local: true });
    const single = await startRelay({ ...relay.config, databaseUrl: url });
    const [anna, ben] = [await newDevice(single), await newDevice(single)];
    const draftAt = (days: number) => ({
      messageId: newMessageId(single.clock.nowMillis() + days * 86_400_000, randomBytes(10)),
    });
    const drafts = [...Array.from({ length: 10 }, () => draftAt(0)), draftAt(-1)];
    for (const draft of drafts) expect((await anna.send(ben.address, draft)).status).toBe(202);
    await single.stop();
    const distributed = await runHere(["distribute"], { DATABASE_URL: url });
    expect([distributed.code, distributed.stderr]).toEqual([0, ""]);
    // Nothing has analyzed the tables.
    expect(distributed.stdout).toContain(`messages, ${drafts.length} rows`);
    const after = await startRelay(single.config, { clock: single.clock });
    const send = (draft: { messageId: string }) =>
      call(after, "sendMessage", { token: anna.token, body: message(after, ben.address, draft) });
    const [alone, fresh, ...together] = [draftAt(0), draftAt(0), draftAt(0), draftAt(-1), draftAt(60)];
    for (const draft of [alone, alone]) expect((await send(draft)).status).toBe(202);
    const inOneFlush = await Promise.all([...drafts, fresh, fresh, ...together].map(send));
    const repeated = await Promise.all([...drafts, fresh, ...together].map(send));
    expect(new Set([...inOneFlush, ...repeated].map(({ status }) => status))).toEqual(new Set([202]));
    const page = await call(after, "pollMessages", { token: ben.token, query: { limit: 100 } });
    const received = page.body.messages.map((one: { message_id: string }) => one.message_id);
    expect(received).toHaveLength(new Set(received).size);
    expect(new Set(received)).toEqual(new Set([...drafts, alone, fresh, ...together].map((one) => one?.messageId)));
    await after.stop();
    await drop();
  });

  it("keys lie on the machine of the queue, and a backup that is restored on one machine recognises them", async () => {
    const { url, drop } = await createCitusDatabase(machines.url, { name: newName(), empty: false });
    const folder = await mkdtemp(join(tmpdir(), `${testFolderPrefix}${process.pid}-restored-`));
    const one = await createTestDatabase({ empty: true });
    const distributed = await startRelay({ ...relay.config, databaseUrl: url });
    const [anna, ben] = [await newDevice(distributed), await newDevice(distributed)];
    const drafts = [0, 0, 1, -1, 5, 60].map((days) => ({
      messageId: newMessageId(distributed.clock.nowMillis() + days * 86_400_000, randomBytes(10)),
    }));
    for (const draft of drafts) expect((await anna.send(ben.address, draft)).status).toBe(202);
    expect(await portsOfKeys(url)).toEqual([await portOfQueue(url, ben.deviceId)]);
    await distributed.stop();

    const file = join(folder, "backup");
    const env = { MASTER_KEY: relay.config.masterKey ?? "", DOMAIN: "relay.test" };
    const run = (command: string, databaseUrl: string) =>
      runHere(command.split(" "), { ...env, DATABASE_URL: databaseUrl });
    expect(await run(`backup ${file} --quiet`, url)).toMatchObject({ code: 0, stderr: "" });
    expect(await run(`restore ${file} --quiet`, one.url)).toMatchObject({ code: 0, stderr: "" });
    expect(await run("after-restore", one.url)).toMatchObject({ code: 0, stderr: "" });
    const after = await startRelay({ ...relay.config, databaseUrl: one.url }, { clock: distributed.clock });
    const tokenOf = async (device: TestDevice) =>
      demand(await call(after, "announceWithProof", { body: announcement(after, device) })).body.access_token;
    const [annas, bens] = [await tokenOf(anna), await tokenOf(ben)];
    const fresh = { messageId: newMessageId(after.clock.nowMillis(), randomBytes(10)) };
    for (const draft of [...drafts, fresh, fresh]) {
      const sent = await call(after, "sendMessage", { token: annas, body: message(after, ben.address, draft) });
      expect(sent.status).toBe(202);
    }
    const page = demand(await call(after, "pollMessages", { token: bens, query: { limit: 100 } }));
    const received = page.body.messages.map((one: { message_id: string }) => one.message_id);
    expect(received).toEqual([...drafts, fresh].map(({ messageId }) => messageId));
    await after.stop();
    await one.drop();
    await drop();
    await rm(folder, { recursive: true });
  });

  it("a machine that dies costs the messages that need its rows, and none is lost", async () => {
    const [anna, ben] = [await deviceOn(doomed, false), await deviceOn(doomed, false)];
    const carl = await deviceOn(doomed, true);
    const before = await anna.send(carl.address);
    expect(before.status).toBe(202);

    await doomed.kill();
    await until(async () => (await anna.send(ben.address)).status === 202, "others' messages go on");
    const id = newMessageId(relay.clock.nowMillis(), randomBytes(10));
    // In one flush.
    const [toCarl, fromCarl, ...others] = await Promise.all([
      anna.send(carl.address, { messageId: id }),
      carl.send(anna.address),
      ...Array.from({ length: 20 }, () => anna.send(ben.address)),
    ]);
    expect(others.map(({ status }) => status)).toEqual(Array(20).fill(202));
    for (const refused of [toCarl, fromCarl]) {
      expect([refused.status, (refused.body as { error?: string }).error]).toEqual([503, "DATABASE_UNAVAILABLE"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const page = await ben.poll({ limit: 100 });
    expect(page.status).toBe(200);
    const acknowledging = await Promise.all([ben.ack([others[0]?.body.message_id ?? ""]), carl.ack([id])]);
    expect(acknowledging.map(({ status }) => status)).toEqual([200, 503]);

    await doomed.start();
    await until(async () => (await carl.poll()).status === 200, "its queues can be read again");
    await until(async () => (await anna.send(carl.address, { messageId: id })).status === 202, "and written");
    const { body } = await carl.poll();
    expect(body.messages.map((message) => message.message_id)).toEqual([before.body.message_id, id]);
  });

  it("a machine that refuses connections is named with its reason", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
    const watching = await startRelay(relay.config, { clock: relay.clock, logger });
    const url = new URL(machines.url);
    url.port = String(doomed.port);
    const db = createDatabase({ url: url.href, poolSize: 1 });
    const name = new URL(database.url).pathname.slice(1);
    const asked = (text: string) => lines.find((line) => line.includes(text)) ?? "";
    try {
      await db.run(`alter database ${name} allow_connections false`);
      await db.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = :name", { name });
      await until(async () => asked("cannot be used") !== "", "the machine is named");
      expect(JSON.parse(asked("cannot be used"))).toMatchObject({
        machine: `127.0.0.1:${doomed.port}`,
        reason: expect.stringContaining("not currently accepting connections"),
      });
    } finally {
      await db.run(`alter database ${name} allow_connections true`);
      await db.close();
    }
    await until(async () => asked("can be used again") !== "", "the machine is used again");
    await watching.stop();
  });
});

async function portsFrom(url: string, sql: string, values: Values): Promise<number[]> {
  return (await ask<{ port: number }>(url, sql, values)).map(({ port }) => port);
}

type Values = Record<string, string | string[]>;

async function ask<T extends object>(url: string, sql: string, values: Values = {}): Promise<T[]> {
  const db = createDatabase({ url, poolSize: 1 });
  try {
    return await db.rows<T>(sql, values);
  } finally {
    await db.close();
  }
}
