import { type LimitObserver, rateLimitExceeded } from "../protocol/rate-limit.js";
import { barredUntil, isBarred, type Standing } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import { type LimitName, limits } from "./table.js";

type BarringLimit = { [Name in LimitName]: (typeof limits)[Name] extends { barred: string } ? Name : never }[LimitName];

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
export function refuseBarred(
  name: BarringLimit,
  { device, now }: { device: Standing; now: number },
  observer?: LimitObserver,
): void {
  if (!isBarred({ ...device, now })) return;
  const resetAt = barredUntil(device);
  observer?.observeLimits([{ name, limit: 0, remaining: 0, windowSeconds: hourSeconds, resetAt }], now);
  throw rateLimitExceeded(limits[name].barred, { limit: 0, resetAt, now });
}
