import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { boundOf, bucketOf, quantile } from "../../src/metrics/buckets.js";
import { createMetricsService, type MetricsService } from "../../src/metrics/service.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createLogger } from "../../src/platform/logger.js";
import { createMachine } from "../../src/process/machine.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const hour = 3600;
let database: TestDatabase;
let clock: ManualClock;
let [first, second]: MetricsService[] = [];

const trust = {
  progressive_trust: {
    ...{ enabled: true, new_tier_duration_hours: 6, established_tier_duration_hours: 24 },
    ...{ new_tier_limit: 10, established_tier_limit: 60, trusted_tier_limit: 300 },
  },
};

function node(nodeId: string): MetricsService {
  return createMetricsService({
    ...{ db: database.db, reader: database.db, clock, config: loadConfig({}), machine: createMachine() },
    nodes: { nodeId, isAlive: () => true },
    settings: { current: () => trust },
    logger: createLogger({ level: "silent" }),
  });
}
const both = (): [MetricsService, MetricsService] => {
  if (first === undefined || second === undefined) throw new Error("the nodes are made before the tests");
  return [first, second];
};
const flushAll = () => Promise.all(both().map((service) => service.flush()));

beforeAll(async () => {
  database = await createTestDatabase();
  clock = createManualClock(createSystemClock());
  [first, second] = [node("a"), node("b")];
});

afterAll(() => database.drop());

describe("a counter", () => {
  it("adds up what all nodes counted since a time", async () => {
    const [a, b] = both();
    const start = clock.nowSeconds();
    a.count("messages_sent");
    a.count("messages_sent", 4);
    b.count("messages_sent", 10);
    await flushAll();
    expect(await a.sum("messages_sent", start)).toBe(15);
    clock.advance(2 * hour);
    a.count("messages_sent", 100);
    await flushAll();
    expect(await b.sum("messages_sent", start)).toBe(115);
    expect(await b.sum("messages_sent", start + hour)).toBe(100);
    expect(await b.total("messages_sent")).toBe(115);
    expect(await b.sum("spam_reports", 0)).toBe(0);
  });

  it("answers as a series with every interval present", async () => {
    const [a, b] = both();
    clock.advance(hour);
    const since = Math.floor(clock.nowSeconds() / hour) * hour + hour;
    clock.advance(since - clock.nowSeconds() + 10);
    a.count("messages_received", 1);
    await flushAll();
    clock.advance(2 * hour);
    b.count("messages_received", 2);
    a.count("messages_received", 3);
    await flushAll();
    const range = { since, until: since + 3 * hour };
    expect(await a.series("messages_received", { ...range, interval: hour })).toEqual([
      { timestamp: since, value: 1 },
      { timestamp: since + hour, value: 0 },
      { timestamp: since + 2 * hour, value: 5 },
    ]);
    expect(await a.series("messages_received", { ...range, interval: 300 })).toHaveLength(36);
  });

  it("loses nothing where it cannot be written, and is written later", async () => {
    const [a] = both();
    const before = await a.total("messages_expired");
    await database.db.run("alter table metric_rollups rename to hidden");
    a.count("messages_expired", 7);
    await expect(a.flush()).rejects.toThrow();
    a.count("messages_expired", 1);
    await database.db.run("alter table hidden rename to metric_rollups");
    await a.flush();
    expect(await a.total("messages_expired")).toBe(before + 8);
  });
});

describe("a gauge", () => {
  it("shows the latest value of a span, summed over the nodes", async () => {
    const [a, b] = both();
    let open = 5;
    a.gauge("websocket_connections", () => open);
    b.gauge("websocket_connections", () => 2);
    await flushAll();
    open = 3;
    await flushAll();
    const since = Math.floor(clock.nowSeconds() / 300) * 300;
    const [point] = await a.series("websocket_connections", { since, until: since + 1, interval: 300 });
    expect(point?.value).toBe(5);
  });
});

describe("a duration", () => {
  it("has an average and quantiles over all nodes", async () => {
    const [a, b] = both();
    const since = clock.nowSeconds();
    expect(await a.latency("delivery_latency", since)).toBeNull();
    for (let i = 1; i <= 50; i++) a.observe("delivery_latency", i);
    for (let i = 51; i <= 100; i++) b.observe("delivery_latency", i);
    await flushAll();
    const found = await a.latency("delivery_latency", since);
    expect(found?.average).toBeCloseTo(50.5);
    expect(found?.p95).toBeGreaterThan(95 / 1.13);
    expect(found?.p95).toBeLessThan(95 * 1.13);
    expect(found?.p99).toBeGreaterThan(found?.p95 ?? 0);
  });

  it("falls into a bucket whose bound is at most a quarter above it, up to thirty days", () => {
    for (const milliseconds of [1, 1.5, 9, 10, 11, 250, 59_999, 86_400_000, 2_592_000_000]) {
      const bound = boundOf(bucketOf(milliseconds));
      expect(bound * 1.000001).toBeGreaterThanOrEqual(milliseconds);
      expect(bound).toBeLessThanOrEqual(milliseconds * 1.26);
    }
    expect(bucketOf(0)).toBe(0);
    expect(bucketOf(1e12)).toBe(bucketOf(2_592_000_000));
  });

  it("has no quantile where nothing was counted", () => {
    expect(quantile(new Map(), 0.5)).toBeNull();
    expect(quantile(new Map([[10, 4]]), 1)).toBeCloseTo(10);
  });
});

describe("what is old", () => {
  it("is forgotten after a month, the totals excepted", async () => {
    const [a] = both();
    const total = await a.total("messages_sent");
    clock.advance(33 * 24 * hour);
    await a.removeOld();
    const fine = await database.db.rows("select 1 from metric_rollups where resolution < 86400");
    expect(fine).toEqual([]);
    expect(await a.total("messages_sent")).toBe(total);
  });
});
