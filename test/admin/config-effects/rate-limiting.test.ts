import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call } from "../../support/api.js";
import { demand, message, type TestDevice } from "../../support/device.js";
import { type Fixture, openFixture, sendable } from "./fixture.js";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  await fixture.set("progressive_trust.new_tier_limit", 2);
  await fixture.set("rate_limiting.burst_allowance", 0);
});

async function uploads(device: TestDevice, max: number): Promise<number> {
  const body = { ciphertext: randomBytes(48).toString("base64"), package_type: "identity", ttl_seconds: 600 };
  for (let sent = 0; sent < max; sent++) {
    const { status } = await call(fixture.relay, "uploadInfoPackage", { token: device.token, body });
    if (status === 429) return sent;
    expect(status).toBe(200);
  }
  return max;
}

test("rate_limiting.enabled switched off lets everybody send", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  expect(await sendable(from, to, 5)).toBe(2);
  await fixture.set("rate_limiting.enabled", false);
  expect(await sendable(from, to, 5)).toBe(5);
  await fixture.set("rate_limiting.enabled", true);
});

test("rate_limiting.window_seconds is how long a limit lasts", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  await fixture.set("rate_limiting.window_seconds", 60);
  expect(await sendable(from, to, 5)).toBe(2);
  fixture.relay.clock.advance(61);
  expect(await sendable(from, to, 5)).toBe(2);
  await fixture.set("rate_limiting.window_seconds", 3600);
  fixture.relay.clock.advance(61);
  expect(await sendable(from, to, 5)).toBe(0);
});

test("rate_limiting.burst_allowance is how much of a window is carried into the next", async () => {
  const [thrifty, to] = [await fixture.device(), await fixture.device()];
  expect((await thrifty.send(to.address)).status).toBe(202);
  await fixture.set("rate_limiting.burst_allowance", 1);
  fixture.relay.clock.advance(3601);
  expect(await sendable(thrifty, to, 5)).toBe(3);
});

test("rate_limiting.recipients_per_message is how many recipients of a verified device count as one message", async () => {
  const from = await fixture.device();
  const to = await Promise.all([1, 2, 3, 4].map(() => fixture.device()));
  await fixture.verify(from);
  const remaining = async () => {
    const { limits } = demand(await call(fixture.relay, "getLimits", { token: from.token })).body;
    return limits.find(({ name }) => name === "messages")?.remaining ?? 0;
  };
  const cost = async () => {
    const before = await remaining();
    const { recipient_address: _, ...content } = message(fixture.relay, "");
    const body = { ...content, recipients: to.map(({ address }) => address) };
    expect((await call(fixture.relay, "sendMessageToMany", { token: from.token, body })).status).toBe(202);
    return before - (await remaining());
  };
  await fixture.set("rate_limiting.recipients_per_message", 2);
  expect(await cost()).toBe(2);
  await fixture.set("rate_limiting.recipients_per_message", 4);
  expect(await cost()).toBe(1);
});

test("rate_limiting.infopackage_uploads_per_hour bounds uploads of info packages in an hour", async () => {
  const device = await fixture.device();
  await fixture.set("rate_limiting.infopackage_uploads_per_hour", 2);
  expect(await uploads(device, 5)).toBe(2);
  fixture.relay.clock.advance(3601);
  expect(await uploads(device, 5)).toBe(2);
});

test("rate_limiting.infopackage_uploads_per_day bounds them in a day", async () => {
  const device = await fixture.device();
  await fixture.set("rate_limiting.infopackage_uploads_per_hour", 100);
  await fixture.set("rate_limiting.infopackage_uploads_per_day", 3);
  expect(await uploads(device, 5)).toBe(3);
  fixture.relay.clock.advance(3601);
  expect(await uploads(device, 5)).toBe(0);
});
