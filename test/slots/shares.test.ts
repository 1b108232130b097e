import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { newSlot, takingOf } from "../support/slots.js";

const mebibyte = 1024 * 1024;
const daySeconds = 86_400;
let watched: Watched;
let slotKey: string;

beforeAll(async () => {
  watched = await startWatched({
    slotStorageBytes: mebibyte,
    newTierSlotStorageShare: 0.3,
    alertSlotStoragePercent: 50,
  });
  slotKey = (await call(watched.relay, "getDiscovery")).body.slots?.key ?? "";
});
afterAll(() => watched.stop());

const newContent = (bytes: number) => randomBytes(bytes).toString("base64");
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];

function take(by: TestDevice, content: string, slot = newSlot()) {
  const body = takingOf(slot, { content, slot_key: slotKey }, watched.relay.config.domain);
  return call(watched.relay, "takeSlot", { token: by.token, params: { slot }, body });
}

test("a device fills its share of the space and no more, while others go on, and an alert comes before the space is used up", async () => {
  const { relay } = watched;
  const [greedy, other] = [await newDevice(relay), await newDevice(relay)];
  const [slot, content] = [newSlot(), newContent(300_000)];
  expect((await take(greedy, content, slot)).body.won).toBe(true);
  expect(errorOf(await take(greedy, newContent(20_000)))).toEqual([507, "QUEUE_FULL"]);
  expect((await take(greedy, content, slot)).body.won).toBe(true);
  expect((await take(greedy, newContent(10_000))).body.won).toBe(true);
  const { limits } = (await call(relay, "getLimits", { token: greedy.token })).body;
  const share = Math.floor(0.3 * mebibyte);
  expect(limits.find(({ name }) => name === "slot_storage")).toMatchObject({
    limit: share,
    remaining: share - 310_000,
    window_seconds: 30 * daySeconds,
  });
  await watched.looked();
  expect(await watched.alert("slot_storage_full")).toBeUndefined();
  expect((await take(other, newContent(250_000))).body.won).toBe(true);
  const { severity, component, details } = await watched.raised("slot_storage_full");
  expect([severity, component]).toEqual(["warning", "server"]);
  expect(details).toEqual({ bytes: 560_000, limit_bytes: mebibyte, threshold_percent: 50 });
  // An hour later the hourly limits begin again, and the share does not.
  relay.clock.advance(3_600);
  expect(errorOf(await take(greedy, newContent(20_000)))).toEqual([507, "QUEUE_FULL"]);
});
