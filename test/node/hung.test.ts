import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { until } from "../support/until.js";

const env = {
  MASTER_KEY: randomBytes(32).toString("hex"),
  DOMAIN: "relay.test",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "error",
  DATABASE_POOL_SIZE: "4",
  ...constantsEnvironment({ expiryIntervalSeconds: 1 }),
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  SEED_RATE_LIMITING_ENABLED: "false",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
};

let database: TestDatabase;
const commands: RunningCommand[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const command of commands) {
    command.kill("SIGCONT");
    command.kill("SIGTERM");
  }
  for (const command of commands) await command.ended;
  await database.drop();
});

async function startNode(): Promise<{ command: RunningCommand; relay: TestRelay }> {
  const command = startCommand(["serve"], { ...env, DATABASE_URL: database.url });
  commands.push(command);
  const [, url = ""] = await command.seen(/ at (http:\S+)/);
  const relay = { url, config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
  return { command, relay };
}

async function leaders(): Promise<string[]> {
  const found = await database.db.rows<{ node: string }>(
    "select node_id as node from nodes where leader_pid is not null",
  );
  return found.map(({ node }) => node);
}

/** The ids of the messages that have been pushed, in order. */
function pushed(stream: TestStream): string[] {
  return stream.all("message").map(({ data }) => data.message_id);
}

/** Waits until the stream has pushed so many messages altogether, and acknowledges the later ones. */
async function take(stream: TestStream, count: number): Promise<void> {
  for (let i = taken.get(stream) ?? 0; i < count; i++) {
    await until(async () => pushed(stream).length > i, `message ${i} is pushed`);
    stream.send({ type: "ack", message_id: pushed(stream)[i] });
    taken.set(stream, i + 1);
  }
}

const taken = new Map<TestStream, number>();

async function queued(messageId: string): Promise<number> {
  return (await database.db.rows("select 1 from messages where message_id = :messageId::uuid", { messageId })).length;
}

test("a node that hangs loses its streams and leadership, and does no harm when it wakes", async () => {
  const hung = await startNode();
  await expect.poll(leaders).toHaveLength(1);
  const [before] = await leaders();
  const other = await startNode();
  const [anna, ben] = [await newDevice(other.relay), await newDevice(other.relay)];
  const old = await openDeviceStream(hung.relay.url, ben.token);
  await anna.send(ben.address);
  await take(old, 1);
  await old.next("ack_confirmed");

  hung.command.kill("SIGSTOP");
  // Messages for its streams count as delayed, and another node leads: it removes what has expired.
  const waiting: string[] = [];
  await expect
    .poll(async () => {
      const { status, body } = await anna.send(ben.address);
      expect(status).toBe(202);
      waiting.push(body.message_id);
      return body.delivery_estimate;
    })
    .toBe("delayed");
  await expect.poll(leaders).not.toContain(before);
  const [leader] = await leaders();
  const expired = (await anna.send(anna.address)).body.message_id;
  await database.db.run("update messages set expires_at = 1 where message_id = :expired::uuid", { expired });
  await expect.poll(() => queued(expired)).toBe(0);

  // The device goes to the other node and gets everything there.
  const stream = await openDeviceStream(other.relay.url, ben.token);
  await take(stream, waiting.length);
  expect(pushed(stream)).toEqual(waiting);

  hung.command.kill("SIGCONT");
  await old.closed;
  await expect.poll(async () => (await fetch(`${hung.relay.url}/readyz`)).status).toBe(200);
  const after = await newDevice(hung.relay);
  const last = (await after.send(ben.address)).body.message_id;
  await take(stream, waiting.length + 1);
  expect(pushed(stream)).toEqual([...waiting, last]);
  expect(await leaders()).toEqual([leader]);
  const holders = await database.db.one<{ count: number }>(
    "select count(*) as count from pg_locks where locktype = 'advisory' and objid = 7350203 and granted",
  );
  expect(holders?.count).toBeGreaterThan(0);
  await stream.close();
});
