import type { Config } from "../platform/config/config.js";
import type { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { Usage } from "./store.js";

export type UsageConfig = Pick<Config, "spamReportsPerHour" | "spamReportsPerDay" | "spamReportsOfOneDevicePerDay">;

/**
 * Why a reporter may not report this device now, or undefined. Counted are other devices that it reported in the last
 * hour and the last day, and messages of this device in the last day; a device leaves a count when the last report about
 * it does. `usage` is that of the last day.
 */
export function refusalOf(
  usage: readonly Usage[],
  reported: string,
  { now, config }: { now: number; config: UsageConfig },
): RelayError | undefined {
  const others = usage.filter((one) => one.reported !== reported).map((one) => one.lastAt);
  const own = usage.find((one) => one.reported === reported);
  const hour = full(others, { seconds: hourSeconds, limit: config.spamReportsPerHour, now });
  const day = full(others, { seconds: daySeconds, limit: config.spamReportsPerDay, now });
  const refused = later(hour, day);
  if (refused !== undefined) return rateLimitExceeded("too many devices were reported", { ...refused, now });
  const limit = config.spamReportsOfOneDevicePerDay;
  if (own === undefined || own.reports < limit) return undefined;
  const resetAt = own.firstAt + daySeconds;
  return rateLimitExceeded("too many messages of one device were reported", { limit, resetAt, now });
}

interface Full {
  limit: number;
  /** When one device more may be reported. */
  resetAt: number;
}

/** Whether the window has no room for one device more; it has again when the oldest of `limit` devices leaves it. */
function full(lastAt: readonly number[], window: { seconds: number; limit: number; now: number }): Full | undefined {
  const { seconds, limit, now } = window;
  const within = lastAt.filter((at) => at > now - seconds).toSorted((a, b) => b - a);
  const oldest = within[limit - 1];
  return oldest === undefined ? undefined : { limit, resetAt: oldest + seconds };
}

function later(a: Full | undefined, b: Full | undefined): Full | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.resetAt >= b.resetAt ? a : b;
}
