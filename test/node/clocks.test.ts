import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

const env = {
  MASTER_KEY: randomBytes(32).toString("hex"),
  DOMAIN: "relay.test",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "silent",
  DATABASE_POOL_SIZE: "4",
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
};

let database: TestDatabase;
const commands: RunningCommand[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const command of commands) command.kill("SIGTERM");
  for (const command of commands) await command.ended;
  await database.drop();
});

/** A node on a machine whose clock is ahead by so many seconds. */
async function startNode(ahead: number): Promise<TestRelay> {
  const shift = `const now = Date.now; Date.now = () => now() + ${ahead * 1000}`;
  const preload = `--import "data:text/javascript,${encodeURIComponent(shift)}"`;
  const command = startCommand(["serve"], { ...env, NODE_OPTIONS: preload, DATABASE_URL: database.url });
  commands.push(command);
  const [, url = ""] = await command.seen(/ at (http:\S+)/);
  return { url, config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
}

const readyOf = async ({ url }: TestRelay) => (await fetch(`${url}/readyz`)).status;

test("nodes whose clocks differ by a minute have one time, the database's; one whose clock is far off is not ready", async () => {
  const [fast, slow] = [await startNode(60), await startNode(-60)];
  for (const node of [fast, slow]) await expect.poll(() => readyOf(node)).toBe(200);
  // A token that one of them issues is valid at the other, although it comes from its future.
  const [anna, ben] = [await newDevice(fast), await newDevice(slow)];
  const atSlow = await openDeviceStream(slow.url, anna.token);
  const atFast = await openDeviceStream(fast.url, ben.token);
  const began = Math.floor(Date.now() / 1000);
  for (const sender of [anna, ben]) {
    const to = sender === anna ? ben : anna;
    expect((await sender.send(to.address)).status).toBe(202);
  }
  for (const stream of [atSlow, atFast]) {
    const { data } = await stream.next("message");
    await stream.ack(data.message_id);
    expect(data.received_at).toBeGreaterThanOrEqual(began - 2);
    expect(data.received_at).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 2);
    await stream.close();
  }
  const wrong = await startNode(600);
  expect(await readyOf(wrong)).toBe(503);
  for (const node of [fast, slow]) expect(await readyOf(node)).toBe(200);
});
