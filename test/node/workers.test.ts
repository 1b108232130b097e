import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import type { AnyRow } from "../support/any-row.js";
import { childrenOf } from "../support/children.js";
import { type RunningCommand, runCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { openDeviceStream } from "../support/stream.js";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-workers-"));
  env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    DOMAIN: "relay.test",
    PORT: "0",
    LOG_LEVEL: "warn",
    DATABASE_POOL_SIZE: "4",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
  };
});
let running: RunningCommand | undefined;
afterAll(async () => {
  running?.kill("SIGTERM");
  await running?.ended;
  await database.drop();
  await rm(folder, { recursive: true });
});

/** The processes of a relay that serve. */
async function workersOf(pid: number): Promise<number[]> {
  const pids = await childrenOf(pid);
  const lines = await Promise.all(pids.map((child) => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_, i) => lines[i]?.includes("--workers"));
}

async function startTwo(): Promise<{ relay: RunningCommand; url: string }> {
  const relay = startCommand(["serve", "--workers", "2"], env);
  running = relay;
  const [, url = ""] = await relay.seen(/ at (http\S+)[\s\S]*workers +2/);
  return { relay, url };
}

test("two workers serve one port as one relay; one that is killed is replaced, and all drain", async () => {
  const { relay, url } = await startTwo();
  const clock = createSystemClock();
  const target = { url, config: loadConfig(env), clock } as never;
  const [anna, ben] = [await newDevice(target), await newDevice(target)];
  // Connections are dealt to the workers in turn.
  const streams = [await openDeviceStream(url, anna.token), await openDeviceStream(url, ben.token)];
  const rows = await database.db.rows<AnyRow>("select distinct stream_node from queues where stream_node is not null");
  expect(rows).toHaveLength(2);
  expect((await anna.send(ben.address)).status).toBe(202);
  expect((await ben.send(anna.address)).status).toBe(202);
  for (const stream of streams) await stream.ack((await stream.next("message")).data.message_id);

  const before = await workersOf(relay.pid);
  expect(before).toHaveLength(2);
  process.kill(before[0] as number, "SIGKILL");
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  await expect.poll(async () => (await workersOf(relay.pid)).filter((pid) => !before.includes(pid)).length).toBe(1);

  relay.kill("SIGTERM");
  const { code } = await relay.ended;
  expect(code).toBe(0);
  for (const stream of streams) await stream.closed;
  for (const pid of before) expect(() => process.kill(pid, 0)).toThrow();
});

test("a worker that hangs is killed and replaced, so that its clients go to another one", async () => {
  const { relay, url } = await startTwo();
  const before = await workersOf(relay.pid);
  const target = { url, config: loadConfig(env), clock: createSystemClock() } as never;
  const device = await newDevice(target);
  const streams = [
    await openDeviceStream(url, device.token),
    await openDeviceStream(url, (await newDevice(target)).token),
  ];
  process.kill(before[0] as number, "SIGSTOP");
  await Promise.race(streams.map((stream) => stream.closed));
  await expect.poll(async () => (await workersOf(relay.pid)).filter((pid) => !before.includes(pid)).length).toBe(1);
  expect(() => process.kill(before[0] as number, 0)).toThrow();
  expect(() => process.kill(before[1] as number, 0)).not.toThrow();
  relay.kill("SIGTERM");
  expect((await relay.ended).code).toBe(0);
});

test("a failed start is reported once, in plain words, and leaves nothing running", async () => {
  const { code, stderr } = await runCommand(["serve", "--workers", "3"], { ...env, LOG_LEVEL: "loud" });
  expect(code).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(/^configuration: LOG_LEVEL/)]);
  const refused = await runCommand(["serve", "--workers", "0"], env);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("number from 1 to") });
});
