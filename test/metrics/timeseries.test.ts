import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { operations } from "../../generated/openapi-types.js";
import { metrics as shownByConsole } from "../../src/console/views/series.js";
import { counterNames, gaugeNames, levels } from "../../src/metrics/names.js";
import { cover } from "../../src/metrics/resolutions.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

type Query = operations["getMetricsTimeseries"]["parameters"]["query"];

const hour = 3600;
const day = 24 * hour;
const seconds = { "5m": 300, "1h": hour, "1d": day, "24h": day, "7d": 7 * day, "30d": 30 * day };
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;

async function series(query: Query) {
  return demand(await call(relay, "getMetricsTimeseries", { token: admin.token, query })).body;
}

async function sendSome(count: number): Promise<void> {
  for (let i = 0; i < count; i++) demand(await device.send(device.address));
}

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({
    seeds: { SEED_STORAGE_METADATA_RETENTION_DAYS: "90", SEED_RATE_LIMITING_ENABLED: "false" },
  }));
  // A little behind the beginning of an hour, so that nothing below crosses one.
  relay.clock.advance(hour - (relay.clock.nowSeconds() % hour) + 20);
  admin = await logIn(relay, admin);
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

describe("a series", () => {
  it("has a point for every interval of what is counted, and adds up to what was counted", async () => {
    await sendSome(2);
    relay.clock.advance(hour);
    await device.announce();
    await sendSome(3);
    admin = await logIn(relay, admin);
    const found = await series({ metric: "messages_sent", period: "24h", interval: "1h" });
    expect(found).toMatchObject({ metric: "messages_sent", period: "24h", interval: "1h" });
    const now = relay.clock.nowSeconds();
    const last = now - (now % hour);
    expect(found.data_points).toHaveLength(25);
    expect(found.data_points.at(-1)).toEqual({ timestamp: last, value: 3 });
    expect(found.data_points.at(-2)).toEqual({ timestamp: last - hour, value: 2 });
    expect(found.data_points[0]).toEqual({ timestamp: last - day, value: 0 });
    expect(found.aggregate).toEqual({ min: 0, max: 3, avg: 5 / 25, total: 5 });
  });

  it.each([
    ["1h", "5m"],
    ["1h", "1h"],
    ["1h", "1d"],
    ["24h", "5m"],
    ["24h", "1d"],
    ["7d", "5m"],
    ["7d", "1h"],
    ["7d", "1d"],
    ["30d", "5m"],
    ["30d", "1h"],
    ["30d", "1d"],
  ] as const)("of %s at %s counts the same as any other", async (period, interval) => {
    const { data_points: points, aggregate } = await series({ metric: "messages_sent", period, interval });
    const length = period === "1h" ? hour : seconds[period];
    expect(aggregate.total).toBe(5);
    const steps = points.slice(1).map(({ timestamp }, i) => timestamp - (points[i]?.timestamp ?? 0));
    expect(steps.every((step) => step === seconds[interval])).toBe(true);
    expect(points.every(({ timestamp }) => timestamp % seconds[interval] === 0)).toBe(true);
    expect(points.length).toBeGreaterThanOrEqual(Math.floor(length / seconds[interval]));
    expect(points.length).toBeLessThanOrEqual(length / seconds[interval] + 2);
  });

  it("leaves out of its first interval what was before the period", async () => {
    relay.clock.advance(1200);
    admin = await logIn(relay, admin);
    expect((await series({ metric: "messages_sent", period: "1h", interval: "1d" })).aggregate.total).toBe(3);
    expect((await series({ metric: "messages_sent", period: "1h", interval: "5m" })).aggregate.total).toBe(3);
    expect((await series({ metric: "messages_sent", period: "24h", interval: "1d" })).aggregate.total).toBe(5);
  });

  it("of a level has averages where it was read, and nothing elsewhere", async () => {
    await call(relay, "getMetrics", { token: admin.token });
    const { data_points: points, aggregate } = await series({
      metric: "queued_messages",
      period: "24h",
      interval: "5m",
    });
    expect(points.length).toBeGreaterThan(0);
    expect(points.length).toBeLessThan(20);
    expect(points.at(-1)?.value).toBe(5);
    expect(aggregate.max).toBe(5);
    const active = await series({ metric: "active_devices", period: "1h", interval: "1h" });
    expect(active.data_points.at(-1)?.value).toBe(1);
    const streams = await series({ metric: "websocket_connections", period: "1h", interval: "5m" });
    expect(streams.data_points.at(-1)?.value).toBe(0);
    expect((await series({ metric: "cpu_usage_percent", period: "1h", interval: "5m" })).aggregate.max).toBeGreaterThan(
      0,
    );
    const none = await series({ metric: "spam_reports", period: "1h", interval: "1h" });
    expect(none.aggregate).toEqual({ min: 0, max: 0, avg: 0, total: 0 });
  });

  it("keeps a day of a month ago after the finer spans are gone", async () => {
    relay.clock.advance(29 * day);
    admin = await logIn(relay, admin);
    for (const interval of ["5m", "1h", "1d"] as const) {
      expect((await series({ metric: "messages_sent", period: "30d", interval })).aggregate.total).toBe(5);
      expect((await series({ metric: "messages_sent", period: "7d", interval })).aggregate.total).toBe(0);
    }
  });

  it("is there for every metric that the contract knows, and the console shows them all", async () => {
    const contract = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
    const known: string[] = contract.components.schemas.SeriesMetric.examples;
    expect(new Set(known)).toEqual(new Set([...counterNames, ...gaugeNames, ...Object.keys(levels)]));
    expect(new Set(shownByConsole)).toEqual(new Set(known));
    for (const metric of known) await series({ metric, period: "1h", interval: "1h" });
  });

  it("of an unknown metric, period or interval is refused", async () => {
    for (const query of [
      { metric: "messages_lost" },
      { metric: "constructor" },
      { metric: "Messages Sent" },
      { metric: "messages_sent", period: "2h" },
      { metric: "messages_sent", interval: "10m" },
      {},
    ]) {
      const answer = await call(relay, "getMetricsTimeseries", { token: admin.token, query });
      expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
    }
  });
});

describe("a stretch of time", () => {
  const at = Math.floor(1_767_225_600 / day) * day;
  const length = (ranges: ReturnType<typeof cover>) => ranges.reduce((sum, { since, until }) => sum + until - since, 0);

  it("is made up of the longest spans that fit, each moment once", () => {
    const since = at - 30 * day + 7 * hour + 700;
    const ranges = cover({ since, until: at + 5 * hour + 1 });
    expect(ranges.map(({ resolution }) => resolution).toSorted((a, b) => a - b)).toEqual([300, 300, hour, hour, day]);
    expect(length(ranges)).toBe(at + 5 * hour + 300 - (since - (since % 300)));
    const inOrder = ranges.toSorted((a, b) => a.since - b.since);
    expect(inOrder.slice(1).every((range, i) => range.since === inOrder[i]?.until)).toBe(true);
  });

  it("has no span longer than wanted, and none where it is empty", () => {
    expect(cover({ since: at, until: at + day }, hour)).toEqual([{ resolution: hour, since: at, until: at + day }]);
    expect(cover({ since: at, until: at + day }, 300)).toEqual([{ resolution: 300, since: at, until: at + day }]);
    expect(cover({ since: at, until: at + day })).toEqual([{ resolution: day, since: at, until: at + day }]);
    expect(cover({ since: at, until: at })).toEqual([]);
    expect(cover({ since: at + 1, until: at + 2 })).toEqual([{ resolution: 300, since: at, until: at + 300 }]);
  });
});
