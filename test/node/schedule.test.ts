import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createSchedule, type Schedule } from "../../src/node/schedule.js";
import { createSharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

interface Node {
  db: Database;
  schedule: Schedule;
  clock: ManualClock;
  runs: string[];
  stop(): Promise<void>;
}

let database: TestDatabase;
const nodes: Node[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});
afterAll(() => database.drop());

let isSound = true;
const isTimeSound = () => isSound;
const soon = { timeout: 300_000, interval: 20 };

function createNode(nodeId: string): Node {
  const db = createDatabase({ url: database.url, poolSize: 2 });
  const clock = createManualClock(createSystemClock());
  const logger = createLogger({ level: "silent" });
  const poll = createSharedPoll({ db, logger, everyMillis: 500 });
  void poll.start();
  const schedule = createSchedule({
    db,
    nodes: { nodeId },
    clock,
    isTimeSound,
    logger,
    poll,
    config: { nodeDeadAfterSeconds: 8 },
  });
  const stop = async () => {
    await schedule.stop();
    await poll.stop();
    await db.close();
  };
  const node = { db, schedule, clock, runs: [], stop };
  nodes.push(node);
  return node;
}

test("a job runs when the relay's clock says so, on one node of two; one for every node runs on both", async () => {
  const [a, b] = [createNode("a"), createNode("b")];
  for (const node of [a, b]) {
    node.schedule.every("one", 3600, async () => void node.runs.push("one"));
    node.schedule.everyOnEachNode("each", 3600, async () => void node.runs.push("each"));
  }
  await a.schedule.start();
  await b.schedule.start();
  expect([a.schedule.leads(), b.schedule.leads()]).toEqual([true, false]);
  for (const round of [1, 2]) {
    a.clock.advance(3600);
    b.clock.advance(3600);
    await vi.waitUntil(() => a.runs.length === 2 * round && b.runs.length === round, soon);
  }
  expect(a.runs.sort()).toEqual(["each", "each", "one", "one"]);
  expect(b.runs).toEqual(["each", "each"]);
});

test("another node takes over when the leader stops, and within seconds when its connection is lost", async () => {
  const [a, b, c] = [createNode("a"), createNode("b"), createNode("c")];
  await a.schedule.start();
  await b.schedule.start();
  expect(a.schedule.leads()).toBe(true);
  await a.stop();
  nodes.splice(nodes.indexOf(a), 1);
  await vi.waitUntil(() => b.schedule.leads(), soon);

  await c.schedule.start();
  expect(c.schedule.leads()).toBe(false);
  await database.db.run(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await vi.waitUntil(() => b.schedule.leads() !== c.schedule.leads(), soon);
});

test("the leader is on record also if the rows of all nodes were lost", async () => {
  const node = createNode("a");
  const insert = () =>
    database.db.run(
      `insert into nodes (node_id, started_at, heartbeat_at, listens_at) values ('a', 0, clock_timestamp(), '')`,
    );
  const isOnRecord = async () =>
    (await database.db.rows("select 1 from nodes where node_id = 'a' and leader_pid is not null")).length === 1;
  await insert();
  await node.schedule.start();
  await vi.waitUntil(isOnRecord, soon);
  await database.db.run("truncate nodes");
  await insert();
  await vi.waitUntil(isOnRecord, soon);
  await database.db.run("truncate nodes");
});

test("a job that is still running is not started again, and is waited for at the stop", async () => {
  const node = createNode("a");
  let finish: () => void = () => undefined;
  let begun = 0;
  let ended = 0;
  node.schedule.every("slow", 60, async () => {
    begun += 1;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    ended += 1;
  });
  await node.schedule.start();
  node.clock.advance(60);
  await vi.waitUntil(() => begun === 1, soon);
  node.clock.advance(600);
  const again = node.schedule.runNow("slow");
  finish();
  await vi.waitUntil(() => begun === 2, soon);
  expect(ended).toBe(1);
  const stopped = node.stop();
  finish();
  await Promise.all([again, stopped]);
  expect([begun, ended]).toEqual([2, 2]);
  nodes.splice(nodes.indexOf(node), 1);
});

test("a job is due by its last run, also on a node that was started since, and at once where that is long ago", async () => {
  for (let start = 1; start <= 3; start++) {
    const node = createNode(`start ${start}`);
    node.clock.advance(start * 50_000);
    node.schedule.every("daily", 86_400, async () => void node.runs.push("daily"));
    await node.schedule.start();
    if (start === 1) await vi.waitUntil(async () => (await lastRun("daily")) !== undefined, soon);
    if (start === 2) await vi.waitUntil(() => node.schedule.leads(), soon);
    if (start === 3) await vi.waitUntil(() => node.runs.length === 1, soon);
    expect(node.runs).toHaveLength(start === 3 ? 1 : 0);
    await node.stop();
    nodes.splice(nodes.indexOf(node), 1);
  }
});

test("clean-ups wait while the time is unsound, and run once it is sound", async () => {
  const node = createNode("a");
  isSound = false;
  node.schedule.cleanUpEvery("clean-up", 60, async () => void node.runs.push("clean-up"));
  node.schedule.every("other", 60, async () => void node.runs.push("other"));
  await node.schedule.start();
  node.clock.advance(60);
  await vi.waitUntil(() => node.runs.length === 1, soon);
  expect(node.runs).toEqual(["other"]);
  isSound = true;
  await vi.waitUntil(() => node.runs.includes("clean-up"), soon);
});

async function lastRun(name: string): Promise<number | undefined> {
  const found = await database.db.rows<{ at: number }>("select ran_at_millis as at from job_runs where name = :name", {
    name,
  });
  return found[0]?.at;
}

test("a job that fails comes round again, and runNow throws its failure", async () => {
  const node = createNode("a");
  let runs = 0;
  node.schedule.every("broken", 60, async () => {
    runs += 1;
    throw new Error("no luck");
  });
  await node.schedule.start();
  for (const round of [1, 2]) {
    node.clock.advance(60);
    await vi.waitUntil(() => runs === round, soon);
  }
  await expect(node.schedule.runNow("broken")).rejects.toThrow("no luck");
  await expect(node.schedule.runNow("unheard of")).rejects.toThrow("unheard of");
});
