import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/composition/config.js";
import { adminKeys, logIn, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type ShiftedClock, shiftClock } from "../support/shifted-clock.js";

const daySeconds = 86_400;
const soon = { interval: 100 };
const masterKey = randomBytes(32).toString("hex");
const keys = adminKeys("all");

let database: TestDatabase;
let clock: ShiftedClock;
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;

beforeAll(async () => {
  database = await createTestDatabase();
  clock = await shiftClock(database);
});
afterAll(() => database.drop());
afterEach(() => relay.stop());

/** A relay that goes by its database's clock and looks at it all the time. */
async function start(more: Partial<Config> = {}): Promise<void> {
  const quick = {
    clockCheckSeconds: 1,
    alertCheckSeconds: 0.25,
    metricsFlushSeconds: 0.25,
    expiryIntervalSeconds: 1,
  };
  const own = { databaseUrl: database.url, masterKey, adminList: keys.seed, nodeDeadAfterSeconds: 600 };
  relay = await startRelay({ ...quick, ...own, ...more }, { goesByDatabase: true });
}

const readyz = async () => (await fetch(`${relay.url}/readyz`)).status;
const reason = async () => ((await (await fetch(`${relay.url}/readyz`)).json()) as { reason?: string }).reason;
const alert = async () => {
  const { active_alerts: alerts } = demand(await call(relay, "listAlerts", { token: admin.token })).body;
  return alerts.find(({ id }) => id.startsWith("alert_clock_jumped_"));
};
const ranAt = async (name: string) => {
  const sql = "select ran_at_millis as at from job_runs where name = :name";
  return (await database.db.one<{ at: number }>(sql, { name }))?.at ?? 0;
};
const queued = async () => (await database.db.rows("select from messages")).length;
const accept = () => runHere(["clock", "accept"], { DATABASE_URL: database.url, DOMAIN: "relay.test" });

describe("a jump of the database's clock", () => {
  it("is not believed: nothing is deleted for its age, until a person vouches for the clock", async () => {
    await clock.shift(0);
    await start();
    admin = await logIn(relay, keys);
    device = await newDevice(relay);
    demand(await device.send(device.address));
    await expect.poll(readyz, soon).toBe(200);

    await clock.shift(40 * daySeconds);
    await expect.poll(readyz, soon).toBe(503);
    await expect.poll(alert, soon).toMatchObject({ severity: "critical", details: { threshold_seconds: 120 } });
    expect(demand(await call(relay, "getHealth", { token: admin.token })).body.warnings.join()).toContain("clock");
    const [expired, looked] = [await ranAt("messages.expire-messages"), await ranAt("health.alerts")];
    await expect.poll(() => ranAt("health.alerts"), soon).toBeGreaterThan(looked + 3_000);
    expect(await ranAt("messages.expire-messages")).toBe(expired);
    expect((await device.poll()).body.messages).toHaveLength(1);

    expect(await accept()).toMatchObject({ code: 0, stdout: expect.stringContaining("s ahead of this machine's") });
    await expect.poll(readyz, soon).toBe(200);
    await expect.poll(queued, soon).toBe(0);
    const entry = await database.db.one<{ details: { seconds: number } }>(
      "select details from audit_entries where action = 'clock_accepted'",
    );
    expect(Math.round((entry?.details.seconds ?? 0) / daySeconds)).toBe(40);
  });

  it("is over once the clock is back where it was", async () => {
    await clock.shift(0);
    await start();
    admin = await logIn(relay, keys);
    await clock.shift(-daySeconds);
    await expect.poll(readyz, soon).toBe(503);
    await expect.poll(alert, soon).toMatchObject({ message: expect.stringContaining("behind") });
    await clock.shift(1);
    await expect.poll(readyz, soon).toBe(200);
    await expect.poll(alert, soon).toBeUndefined();
  });

  it("is seen at the start by this machine's clock, and believed once both have agreed for a while", async () => {
    await clock.shift(-1_000);
    await start({ clockAgreementSeconds: 5 });
    expect(await readyz()).toBe(503);
    expect(await reason()).toBe("clock");
    expect(await accept()).toMatchObject({ code: 0 });
    await expect.poll(readyz, soon).toBe(200);
    await clock.shift(0);
    await expect.poll(readyz, soon).toBe(503);
    await expect.poll(readyz, soon).toBe(200);
  });

  it("that is taken back stops nothing, without a restart", async () => {
    const tenYears = 3_650 * daySeconds;
    await clock.shift(tenYears);
    await start({ clockAgreementSeconds: 3 });
    expect(await accept()).toMatchObject({ code: 0 });
    await expect.poll(readyz, soon).toBe(200);
    await expect.poll(() => ranAt("health.alerts"), soon).toBeGreaterThan(Date.now() + (tenYears - daySeconds) * 1000);
    const ahead = Math.floor(Date.now() / 1000) + tenYears;
    await database.db.run(`
      insert into ip_bans (ip_hash, banned_until) values ('somebody', ${ahead});
      insert into block_tombstones (device_hash, banned_until, marked_at) values ('\\x00', ${ahead}, ${ahead});
      insert into outbox_destinations (domain, last_position, messages, bytes, used_at, next_attempt_millis)
        values ('peer.example', 0, 0, 0, ${ahead}, ${ahead} * 1000::bigint)`);

    await clock.shift(0);
    await expect.poll(readyz, soon).toBe(503);
    await expect.poll(readyz, soon).toBe(200);
    await expect.poll(() => ranAt("health.alerts"), soon).toBeLessThan(Date.now() + daySeconds * 1000);
    const looked = await ranAt("health.alerts");
    await expect.poll(() => ranAt("health.alerts"), soon).toBeGreaterThan(looked);
    const waiting = `
      select from outbox_destinations where next_attempt_millis > :tomorrow::bigint * 1000
      union all select from ip_bans where banned_until > :tomorrow::bigint`;
    const tomorrow = Math.floor(Date.now() / 1000) + daySeconds;
    await expect.poll(() => database.db.rows(waiting, { tomorrow }), soon).toEqual([]);
    // A ban is not lifted: it lasts as long as one of now.
    const ban = async () =>
      (await database.db.one<{ until: number }>("select banned_until as until from block_tombstones"))?.until;
    await expect.poll(ban, soon).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 7 * daySeconds);
    expect(await ban()).toBeGreaterThan(tomorrow);
  });
});
