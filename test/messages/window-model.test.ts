import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { mayIdle } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

// Time passes in ticks of ten minutes; a run takes the relay far less than one.
const tickSeconds = 600;
const windowTicks = 6;
const [limit, burst] = [5, 3];
const [runs, longest] = process.env["LONG"] === "1" ? [200, 20] : [10, 8];

let relay: TestRelay;
let db: Database;
let recipient: TestDevice;
beforeAll(async () => {
  relay = await startRelay({
    // Longer than all the time that may pass in one sequence.
    deviceTokenSeconds: 29 * 86_400,
    seeds: {
      SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: String(limit),
      SEED_PROGRESSIVE_TRUST_ESTABLISHED_TIER_LIMIT: String(limit),
      SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: String(limit),
      SEED_RATE_LIMITING_BURST_ALLOWANCE: String(burst),
      SEED_STORAGE_METADATA_RETENTION_DAYS: "3650",
      SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "8760",
      SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
    },
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

/** Sends this many messages at once and returns how many were accepted. */
async function accepted(device: TestDevice, count: number): Promise<number> {
  const messages = Array.from({ length: count }, () => message(relay, recipient.address));
  return demand(await call(relay, "sendMessageBatch", { token: device.token, body: { messages } })).body.accepted_count;
}

/** The windows of one device, as the decisions describe them. */
function createModel() {
  let tick = 0;
  let window = { from: Number.NEGATIVE_INFINITY, room: 0 };
  return {
    pass(ticks: number) {
      tick += ticks;
    },
    /** How many of this many messages are accepted now. */
    send(count: number): number {
      if (tick >= window.from + windowTicks) window = { from: tick, room: limit + Math.min(burst, window.room) };
      const granted = Math.min(count, window.room);
      window.room -= granted;
      return granted;
    },
  };
}

it(`any sequence of sends and pauses is accepted as the windows allow, never beyond (${runs} sequences)`, async () => {
  const step = fc.record({ pause: fc.nat({ max: 8 }), send: fc.integer({ min: 1, max: 9 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: longest }), async (steps) => {
      const [device, model] = [await newDevice(relay), createModel()];
      const [got, expected]: [number[], number[]] = [[], []];
      for (const { pause, send } of steps) {
        relay.clock.advance(pause * tickSeconds);
        model.pass(pause);
        got.push(await accepted(device, send));
        expected.push(model.send(send));
      }
      expect(got).toEqual(expected);
    }),
    { numRuns: runs },
  );
});

it("a job that had to wait for the database leaves a window alone that began meanwhile", async () => {
  const device = await newDevice(relay);
  const held = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ 'outbox_destinations'`;
  await db.transaction(async (trx) => {
    await mayIdle(trx);
    await trx.run("lock table outbox_destinations in access exclusive mode");
    relay.clock.advance(relay.config.expiryIntervalSeconds);
    await until(async () => (await db.rows(held)).length > 0, "the job that corrects stored times waits");
    relay.clock.advance((windowTicks + 1) * tickSeconds);
    expect(await accepted(device, limit)).toBe(limit);
  });
  const ran = "select from job_runs where name = 'platform.due-times' and ran_at_millis > :since::bigint";
  const since = relay.clock.nowMillis();
  await until(async () => {
    relay.clock.advance(relay.config.expiryIntervalSeconds);
    return (await db.rows(ran, { since })).length > 0;
  }, "the job has run once more");
  expect(await accepted(device, 1)).toBe(0);
});
