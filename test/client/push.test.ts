import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startPushService,
  type TestPushService,
  type TestSubscription,
} from "../../scripts/push-service/push-service.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import { withoutJitter } from "../push/sleeping.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newClient } from "./harness.js";

let service: TestPushService;
let relay: TestRelay;
let sender: DeviceClient;

beforeAll(async () => {
  service = await startPushService();
  relay = await startRelay({
    ...service.config,
    ...withoutJitter,
    seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" },
  });
  sender = await newClient(relay);
});
afterAll(async () => {
  await relay.stop();
  expect(service.faults).toEqual([]);
  await service.stop();
});

const keysOf = ({ endpoint, p256dh, auth }: TestSubscription) => ({ endpoint, keys: { p256dh, auth } });
const nothing = { handle: () => undefined };
/** What a platform hands to the application. */
const dataOf = (subscription: TestSubscription) => JSON.stringify(subscription.received.at(-1)?.content);
const addressOf = (device: DeviceClient) => device.session()?.addresses[0] ?? "";

async function newSubscriber(): Promise<{ device: DeviceClient; subscription: TestSubscription }> {
  const device = await newClient(relay);
  const key = await device.push.applicationServerKey();
  const subscription = service.subscribe(Buffer.from(key ?? []).toString("base64url"));
  const { push, subscription: stored } = await device.push.subscribe(keysOf(subscription), { urgency: "high" });
  expect([push?.status_class, stored.confirmed]).toEqual(["2xx", false]);
  expect(await device.push.handle(dataOf(subscription), nothing)).toEqual({ type: "confirm" });
  expect((await device.push.status()).confirmed).toBe(true);
  return { device, subscription };
}

const send = (to: DeviceClient, text: string) =>
  sender.send({ to: addressOf(to), ciphertext: new TextEncoder().encode(text) });
const wokenBy = (subscription: TestSubscription) =>
  until(async () => subscription.received.at(-1)?.content?.type === "wake", "the device is woken");

test("a device subscribes, echoes the code, is woken, and reads what waits", async () => {
  const { device, subscription } = await newSubscriber();
  expect(await device.push.test()).toEqual({ status_class: "2xx", retry_after: null });
  expect(await device.push.handle(dataOf(subscription), nothing)).toEqual({ type: "test" });
  for (const text of ["one", "two", "three"]) await send(device, text);
  await wokenBy(subscription);
  const texts: string[] = [];
  const counts: number[] = [];
  const handle = ({ ciphertext }: IncomingMessage) => void texts.push(new TextDecoder().decode(ciphertext));
  const onKeyPackagesRemaining = (count: number) => void counts.push(count);
  const handled = await device.push.handle(dataOf(subscription), { handle, onKeyPackagesRemaining });
  expect(handled).toEqual({ type: "wake", handled: 3, isEmpty: true });
  expect([texts, counts]).toEqual([["one", "two", "three"], [0]]);
  expect((await device.poll()).messages).toEqual([]);
  // ntfy hands over "triggered" for a push without a body.
  for (const data of [undefined, "", "triggered", "[]"])
    expect(await device.push.handle(data, nothing)).toEqual({ type: "wake", handled: 0, isEmpty: true });
  // At the next start of the application nothing has changed.
  const again = await device.push.subscribe(keysOf(subscription), { urgency: "high" });
  expect([again.push, again.subscription.confirmed]).toEqual([undefined, true]);
  expect(await device.push.unsubscribe()).toEqual({ removed: true });
  await expect(device.push.status()).rejects.toMatchObject({ error: "NOT_FOUND" });
});

test("a message that cannot be handled stays in the queue, and so do those beyond the time that the platform allows", async () => {
  const { device } = await newSubscriber();
  for (const text of ["good", "bad", "better"]) await send(device, text);
  const problems: unknown[] = [];
  const handle = ({ ciphertext }: IncomingMessage) => {
    if (new TextDecoder().decode(ciphertext) === "bad") throw new Error("not now");
  };
  const onProblem = (problem: unknown) => void problems.push(problem);
  const wake = { type: "wake", isEmpty: false };
  const data = '{"type":"wake"}';
  expect(await device.push.handle(data, { handle, onProblem })).toEqual({ ...wake, handled: 2 });
  expect(problems).toEqual([new Error("not now")]);
  expect(await device.push.handle(data, { handle: () => undefined, budgetMillis: 0 })).toEqual({ ...wake, handled: 0 });
  const slow = { handle: () => new Promise<void>((resolve) => setTimeout(resolve, 300)), budgetMillis: 200 };
  await send(device, "last");
  expect(await device.push.handle(data, slow)).toEqual({ ...wake, handled: 1 });
  expect(await device.push.handle(data, nothing)).toEqual({ type: "wake", handled: 1, isEmpty: true });
});

test("a push that is handled within `handle` leaves what it finds to the one that has a message", async () => {
  const { device } = await newSubscriber();
  const seen: string[] = [];
  const within: unknown[] = [];
  const receiving = device.receive({
    async handle({ ciphertext }) {
      const text = new TextDecoder().decode(ciphertext);
      if (text === "one") {
        await send(device, "two");
        // It would wait for itself, and for the whole hour.
        within.push(await device.push.handle("", { ...nothing, budgetMillis: 3_600_000 }));
      }
      seen.push(text);
    },
  });
  await send(device, "one");
  await until(async () => seen.length === 2, "both are handled");
  expect(seen).toEqual(["one", "two"]);
  expect(within).toEqual([{ type: "wake", handled: 0, isEmpty: false }]);
  await receiving.stop();
  expect((await device.poll()).messages).toEqual([]);
});

test("arguments are checked before the relay is asked", async () => {
  const device = await newClient(relay);
  const wrong = { endpoint: "https://push.example", keys: { p256dh: 1, auth: "" } } as never;
  await expect(device.push.subscribe(wrong)).rejects.toThrow("subscription.keys.p256dh");
  await expect(device.push.handle('{"type":"confirm"}', nothing)).rejects.toThrow("no code");
  await expect(device.push.handle("{}", {} as never)).rejects.toThrow("handle");
});
