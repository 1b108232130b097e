import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call } from "../../support/api.js";
import { demand, type TestDevice } from "../../support/device.js";
import { type Fixture, openFixture, sendable } from "./fixture.js";

let fixture: Fixture;
const hour = 3600;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.stop());
// Limits small enough to be reached, each another one.
beforeEach(async () => {
  await fixture.set("progressive_trust.enabled", true);
  await fixture.set("progressive_trust.new_tier_limit", 1);
  await fixture.set("progressive_trust.established_tier_limit", 2);
  await fixture.set("progressive_trust.trusted_tier_limit", 3);
  await fixture.set("progressive_trust.new_tier_duration_hours", 6);
  await fixture.set("progressive_trust.established_tier_duration_hours", 24);
  await fixture.set("rate_limiting.burst_allowance", 0);
});

/** What a device of some age may send, to one that has just come. */
async function sendableAt(ageHours: number): Promise<number> {
  const from = await fixture.device();
  fixture.relay.clock.advance(ageHours * hour);
  if (ageHours >= 24) await from.announce();
  return sendable(from, await fixture.device(), 6);
}

test("progressive_trust.new_tier_limit bounds devices younger than six hours", async () => {
  expect(await sendableAt(1)).toBe(1);
  await fixture.set("progressive_trust.new_tier_limit", 4);
  expect(await sendableAt(1)).toBe(4);
});

test("progressive_trust.established_tier_limit bounds devices of six hours and more", async () => {
  expect(await sendableAt(7)).toBe(2);
  await fixture.set("progressive_trust.established_tier_limit", 4);
  expect(await sendableAt(7)).toBe(4);
});

test("progressive_trust.trusted_tier_limit bounds devices of a day and more", async () => {
  expect(await sendableAt(25)).toBe(3);
  await fixture.set("progressive_trust.trusted_tier_limit", 5);
  expect(await sendableAt(25)).toBe(5);
});

test("progressive_trust.new_tier_duration_hours is the age at which a device leaves the New tier", async () => {
  await fixture.set("progressive_trust.new_tier_duration_hours", 2);
  expect([await sendableAt(1), await sendableAt(3)]).toEqual([1, 2]);
});

test("progressive_trust.established_tier_duration_hours is the age at which a device is Trusted", async () => {
  await fixture.set("progressive_trust.established_tier_duration_hours", 10);
  expect([await sendableAt(9), await sendableAt(11)]).toEqual([2, 3]);
});

test("progressive_trust.enabled switched off makes everybody Trusted", async () => {
  await fixture.set("progressive_trust.enabled", false);
  expect(await sendableAt(0)).toBe(3);
});

/** A device, and so many others with an age at which their reports count for one each, that report a message of it. */
async function reported(by: number): Promise<{ sender: TestDevice; reader: TestDevice }> {
  const reporters: TestDevice[] = [];
  for (let i = 0; i < by; i++) reporters.push(await fixture.device());
  fixture.relay.clock.advance(25 * hour);
  const [sender, reader] = [await fixture.device(), await fixture.device()];
  for (const reporter of reporters) {
    await reporter.announce();
    const sent = demand(await sender.send(reporter.address)).body.message_id;
    const body = { message_id: sent, sender_id: sender.deviceId, reason: "spam" };
    demand(await call(fixture.relay, "reportSpam", { token: reporter.token, body }));
  }
  return { sender, reader };
}

/** What a device is told that was reported: `null` where it is blocked for good, the end where it is banned. */
async function sending({ sender, reader }: { sender: TestDevice; reader: TestDevice }) {
  const { status, body } = await sender.send(reader.address);
  return status === 202 ? "free" : body["reset_at"] === null ? "blocked" : "banned";
}

test("progressive_trust.spam_report_block_threshold is how many reporters block a device", async () => {
  await fixture.set("progressive_trust.new_tier_limit", 10);
  await fixture.set("progressive_trust.spam_report_block_threshold", 3);
  expect(await sending(await reported(2))).toBe("free");
  expect(await sending(await reported(3))).toBe("blocked");
  await fixture.set("progressive_trust.spam_report_block_threshold", 5);
  expect(await sending(await reported(3))).toBe("free");
});

test("progressive_trust.spam_score_threshold is the score above which a device is banned for a week", async () => {
  await fixture.set("progressive_trust.new_tier_limit", 10);
  await fixture.set("progressive_trust.spam_score_threshold", 1.5);
  expect(await sending(await reported(1))).toBe("free");
  expect(await sending(await reported(2))).toBe("banned");
  await fixture.set("progressive_trust.spam_score_threshold", 3.5);
  expect(await sending(await reported(2))).toBe("free");
});
