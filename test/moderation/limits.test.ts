import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { report, type SpamFixture, startSpamFixture, told } from "./fixture.js";

const hour = 3600;
let relay: SpamFixture;
let reporter: TestDevice;
/** Devices to be reported; they need do nothing themselves. */
const targets = Array.from({ length: 52 }, () => randomBytes(32).toString("hex"));

beforeAll(async () => {
  relay = await startSpamFixture({ spamReportsOfOneDevicePerDay: 20 });
  const sql = `insert into devices (device_id, public_key, registered_at, last_active)
               select id, '\\x00', 1, 100000000000 from unnest(:targets::text[]) as given (id)`;
  await relay.db.run(sql, { targets });
});
afterAll(() => relay.stop());

const about = (index: number) => ({ messageId: relay.freshId(), sender: targets[index] ?? "" });

function expectLimited(answer: Answer<unknown>, limit: number, [min, max]: [number, number]): void {
  expect(told(answer)).toEqual([429, "RATE_LIMIT_EXCEEDED", 4004]);
  const { retry_after: wait, reset_at, limit: named } = answer.body as Record<string, number>;
  expect(named).toBe(limit);
  expect(wait).toBeGreaterThanOrEqual(min);
  expect(wait).toBeLessThanOrEqual(max);
  const answeredAt = (reset_at ?? 0) - (wait ?? 0);
  expect(answeredAt).toBeGreaterThan(relay.clock.nowSeconds() - 300);
  expect(answeredAt).toBeLessThanOrEqual(relay.clock.nowSeconds());
}

describe("a device", () => {
  it("reports ten devices an hour, with any number of messages of each", async () => {
    reporter = await relay.device();
    const first = about(0);
    const { body } = demand(await report(relay, reporter, first));
    relay.clock.advance(600);
    for (let i = 1; i < 10; i++) demand(await report(relay, reporter, about(i)));
    expectLimited(await report(relay, reporter, about(10)), 10, [hour - 660, hour - 600]);
    for (let i = 0; i < 10; i++) demand(await report(relay, reporter, about(i)));
    // The first device was just reported again, so all ten leave the hour together.
    expectLimited(await report(relay, reporter, about(10)), 10, [hour - 60, hour]);
    expect(demand(await report(relay, reporter, first)).body).toEqual(body);
    relay.clock.advance(hour);
    demand(await report(relay, reporter, about(10)));
  });

  it("is counted exactly when it reports many at once", async () => {
    reporter = await relay.device();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => report(relay, reporter, about(i))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const other = await relay.device();
    demand(await report(relay, other, about(0)));
  });

  it("reports fifty devices a day", async () => {
    reporter = await relay.device();
    for (let i = 0; i < 50; i++) {
      if (i > 0 && i % 10 === 0) relay.clock.advance(hour);
      demand(await report(relay, reporter, about(i)));
    }
    relay.clock.advance(hour);
    expectLimited(await report(relay, reporter, about(50)), 50, [19 * hour - 60, 19 * hour]);
    demand(await report(relay, reporter, about(49)));
    relay.clock.advance(19 * hour);
    await reporter.announce();
    demand(await report(relay, reporter, about(50)));
  });

  it("reports a bounded number of messages of one device a day", async () => {
    reporter = await relay.device();
    for (let i = 0; i < 20; i++) demand(await report(relay, reporter, about(0)));
    expectLimited(await report(relay, reporter, about(0)), 20, [23 * hour, 24 * hour]);
    demand(await report(relay, reporter, about(1)));
    relay.clock.advance(24 * hour - 60);
    await reporter.announce();
    relay.clock.advance(60);
    demand(await report(relay, reporter, about(0)));
  });

  it("is not charged for a refused report", async () => {
    reporter = await relay.device();
    for (let i = 0; i < 15; i++) {
      const unknown = { messageId: relay.freshId(), sender: i.toString(16).padStart(64, "a") };
      expect((await report(relay, reporter, unknown)).status).toBe(404);
    }
    for (let i = 0; i < 10; i++) demand(await report(relay, reporter, about(i)));
  });
});
