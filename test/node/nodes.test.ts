import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createNotifications } from "../../src/database/pool/notifications.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createDatabaseClock, createManualClock, createSystemClock } from "../../src/node/clock.js";
import { createNodes } from "../../src/node/nodes.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const logger = createLogger({ level: "silent" });
const clockLimits = { clockDriftLimitMillis: 2000, clockJumpLimitSeconds: 120, clockAgreementSeconds: 600 };
const soon = { timeout: 300_000, interval: 20 };

function createNode({ nodeHeartbeatSeconds = 0.1, domain = "relay.test" } = {}) {
  const notifications = createNotifications({ url: database.url, logger });
  const nodes = createNodes({
    db: database.db,
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger,
    notifications,
    config: { nodeHeartbeatSeconds, nodeDeadAfterSeconds: 2, domain, baseUrl: `https://${domain}` },
    mayChangeDomain: async () => true,
  });
  return {
    ...nodes,
    async start() {
      await notifications.start();
      await nodes.start();
    },
    async stop() {
      await nodes.stop();
      await notifications.stop();
    },
  };
}

test("nodes see each other; one that stops disappears at once, one that falls silent after a while", async () => {
  const [a, b, c] = [createNode(), createNode(), createNode()];
  for (const node of [a, b]) await node.start();
  await vi.waitUntil(() => a.isAlive(b.nodeId) && b.isAlive(a.nodeId), soon);
  expect(a.isAlive(c.nodeId)).toBe(false);
  expect([a.count(), c.count()]).toEqual([2, 1]);
  expect(c.isAlive(c.nodeId)).toBe(true);
  await b.stop();
  await vi.waitUntil(() => !a.isAlive(b.nodeId), soon);

  await database.db.run(
    `insert into nodes (node_id, started_at, heartbeat_at, listens_at)
     values ('silent', 0, clock_timestamp() - interval '1 second', '')`,
  );
  await vi.waitUntil(() => a.isAlive("silent"), soon);
  await vi.waitUntil(() => !a.isAlive("silent"), soon);
  await a.stop();
});

test("a node that serves another domain does not start beside one that lives, and both are named", async () => {
  const [a, b] = [createNode(), createNode({ domain: "other.test" })];
  await a.start();
  await expect(b.start()).rejects.toThrow(
    new RegExp(`^DOMAIN is other.test, but a node on this database serves relay.test.*Node ${a.nodeId} was last heard`),
  );
  await b.stop();
  await a.stop();
  const c = createNode({ domain: "other.test" });
  await c.start();
  await c.stop();
});

test("a node that starts or stops is noticed before the next heartbeat", async () => {
  const [a, b] = [createNode({ nodeHeartbeatSeconds: 3600 }), createNode({ nodeHeartbeatSeconds: 3600 })];
  await a.start();
  await b.start();
  await vi.waitUntil(() => a.isAlive(b.nodeId), soon);
  await b.stop();
  await vi.waitUntil(() => !a.isAlive(b.nodeId), soon);
  await a.stop();
});

/** The clock is as exact as the round trip by which it was set, which takes long on a busy machine. */
const roundTripMillis = 20_000;

test("the database clock follows the database and never runs backwards", async () => {
  const clock = createDatabaseClock({
    db: database.db,
    logger,
    config: { clockCheckSeconds: 1, ...clockLimits },
  });
  expect(clock.sound()).toBe(false);
  await clock.start();
  expect(clock.sound()).toBe(true);
  const began = clock.nowMillis();
  const row = await database.db.one<{ millis: number }>(
    "select extract(epoch from clock_timestamp()) * 1000 as millis",
  );
  expect(row?.millis).toBeGreaterThan(began - roundTripMillis);
  expect(row?.millis).toBeLessThan(clock.nowMillis() + roundTripMillis);
  expect(clock.nowSeconds()).toBe(Math.floor(clock.nowMillis() / 1000));
  const readings = Array.from({ length: 1000 }, () => clock.nowMillis());
  expect(readings).toEqual([...readings].sort((x, y) => x - y));
  await clock.stop();
});

test("a clock whose database is out of reach is unsound once its measurement has aged", async () => {
  const db = createDatabase({ url: database.url, poolSize: 1 });
  const clock = createDatabaseClock({ db, logger, config: { clockCheckSeconds: 0.05, ...clockLimits } });
  await clock.start();
  expect(clock.sound()).toBe(true);
  await db.close();
  await vi.waitUntil(() => !clock.sound(), soon);
  await clock.stop();
});

test("a manual clock runs with the clock that it wraps, ahead by the time it was advanced", () => {
  let millis = 5_000;
  const base = { nowMillis: () => millis, nowSeconds: () => Math.floor(millis / 1000) };
  const clock = createManualClock(base);
  clock.advance(10);
  millis += 1_500;
  expect([clock.nowMillis(), clock.nowSeconds()]).toEqual([16_500, 16]);
  expect(() => clock.advance(-1)).toThrow(RangeError);
});
