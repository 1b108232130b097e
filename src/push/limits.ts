import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import type { PushSettings } from "./config.js";

const names = ["push_subscriptions_hour", "push_confirmations_hour", "push_tests_hour"] as const;

/** How often a device may subscribe, echo a code or test its subscription in an hour. */
export function pushLimit(name: (typeof names)[number], deviceId: string, config: PushSettings): LimitRequest {
  return limitRequest(name, { ids: [deviceId] }, config);
}

export function pushLimits(deviceId: string, config: PushSettings): LimitRequest[] {
  return names.map((name) => pushLimit(name, deviceId, config));
}
