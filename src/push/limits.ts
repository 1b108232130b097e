import type { Device } from "../devices/service.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { refuseBarred } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { PushSettings } from "./config.js";

const subscriptionsLimitName = "push_subscriptions_hour";

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
export function refuseBarredPush(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not subscribe to pushes at the moment";
  refuseBarred(device, { now, name: subscriptionsLimitName, message }, observer);
}

/** Each of them makes the relay call a push service that the device has named. */
export function subscriptionLimit(deviceId: string, config: PushSettings): LimitRequest {
  return {
    name: subscriptionsLimitName,
    subject: { ids: [deviceId] },
    windowSeconds: hourSeconds,
    limit: config.pushSubscriptionsPerHour,
    message: "too many push subscriptions in an hour",
  };
}

export function confirmationLimit(deviceId: string, config: PushSettings): LimitRequest {
  return {
    name: "push_confirmations_hour",
    subject: { ids: [deviceId] },
    windowSeconds: hourSeconds,
    limit: config.pushConfirmationsPerHour,
    message: "too many echoed codes in an hour",
  };
}

export function testLimit(deviceId: string, config: PushSettings): LimitRequest {
  return {
    name: "push_tests_hour",
    subject: { ids: [deviceId] },
    windowSeconds: hourSeconds,
    limit: config.pushTestsPerHour,
    message: "too many tests of the push subscription in an hour",
  };
}
