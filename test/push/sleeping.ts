import { expect } from "vitest";
import type { ReceivedPush, TestPushService, TestSubscription } from "../../scripts/push-service/push-service.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

/** A device that holds no stream and has confirmed its push subscription. */
export interface SleepingDevice extends TestDevice {
  subscription: TestSubscription;
  /** The wake-ups so far. */
  wakeUps(): ReceivedPush[];
}

/** Pushes at once, so that a test waits for the relay only. */
export const withoutJitter = { pushJitterSeconds: 0, pushPollMillis: 20 };

export async function vapidKeyOf(relay: TestRelay): Promise<string> {
  const { push } = demand(await call(relay, "getDiscovery")).body;
  if (push === undefined) throw new Error("the relay sends no pushes");
  return push.vapid_key;
}

export const subscribe = (
  relay: TestRelay,
  device: Pick<TestDevice, "token">,
  { endpoint, p256dh, auth }: Pick<TestSubscription, "endpoint" | "p256dh" | "auth">,
  options: Readonly<Record<string, unknown>> = {},
) => call(relay, "subscribeToPush", { token: device.token, body: { endpoint, p256dh, auth, ...options } });

export const confirm = (relay: TestRelay, device: Pick<TestDevice, "token">, code: string) =>
  call(relay, "confirmPushSubscription", { token: device.token, body: { code } });

/** The last code that was pushed to a subscription. */
export function codeOf({ received }: TestSubscription): string {
  const code = received.findLast(({ content }) => content?.type === "confirm")?.content?.code;
  if (code === undefined) throw new Error("no code was pushed");
  return code;
}

export async function newSleepingDevice(
  relay: TestRelay,
  service: TestPushService,
  extra: Readonly<Record<string, unknown>> & { device?: TestDevice } = {},
): Promise<SleepingDevice> {
  const { device = await newDevice(relay), ...more } = extra;
  const subscription = service.subscribe(await vapidKeyOf(relay));
  demand(await subscribe(relay, device, subscription, more));
  expect(demand(await confirm(relay, device, codeOf(subscription))).body.confirmed).toBe(true);
  return Object.assign(device, { subscription, wakeUps: () => wakeUpsIn(subscription) });
}

function wakeUpsIn({ received }: TestSubscription): ReceivedPush[] {
  return received.filter(({ content }) => content === null || content.type === "wake");
}
