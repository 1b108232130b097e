import { afterAll, beforeAll, expect, it } from "vitest";
import { adminKeys, logIn, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { newHours, type SpamFixture, sendAndReport, startSpamFixture } from "./fixture.js";

const keys = adminKeys("verify_devices");
let relay: SpamFixture;
let admin: TestAdmin;
beforeAll(async () => {
  relay = await startSpamFixture({ adminList: keys.seed });
  admin = await logIn(relay, keys);
});
afterAll(() => relay.stop());

const detailOf = async ({ deviceId }: TestDevice) =>
  demand(await call(relay, "getDevice", { token: admin.token, params: { device_id: deviceId } })).body;

const warningInList = async ({ deviceId }: TestDevice) => {
  const query = { min_messages: 0, max_spam_reports: 100, limit: 1000 };
  const { body } = demand(await call(relay, "listPendingDevices", { token: admin.token, query }));
  return body.pending_devices.find(({ device_id }) => device_id === deviceId)?.spam_warning;
};

it("administrators see the warning flag of a device from the third reporter that counts on", async () => {
  const [sender, ...reporters] = (await relay.devices(4)) as [TestDevice, ...TestDevice[]];
  expect((await detailOf(sender)).spam).toEqual({ counted_reporters: 0, score: 0, warning: false });
  for (const [i, reporter] of reporters.entries()) {
    expect(await warningInList(sender)).toBe(false);
    await sendAndReport(relay, sender, reporter);
    const { spam, metrics } = await detailOf(sender);
    expect(spam).toEqual({ counted_reporters: i + 1, score: (i + 1) / 2, warning: i === 2 });
    expect(metrics.spam_reports).toBe(i + 1);
  }
  expect(await warningInList(sender)).toBe(true);
});

it("three reports of one device, or of three that are New, raise no flag", async () => {
  const [sender, one] = (await relay.devices(2)) as [TestDevice, TestDevice];
  for (let i = 0; i < 3; i++) await sendAndReport(relay, sender, one);
  for (const reporter of await relay.devices(3, newHours)) await sendAndReport(relay, sender, reporter);
  const { spam, metrics } = await detailOf(sender);
  expect([spam, metrics.spam_reports]).toEqual([{ counted_reporters: 1, score: 0.5, warning: false }, 6]);
  expect(await warningInList(sender)).toBe(false);
});
