import type { Config } from "../platform/config/config.js";
import type { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { ReporterUsage } from "./store.js";

export type ReportLimitConfig = Pick<
  Config,
  "spamReportsPerHour" | "spamReportsPerDay" | "spamReportsOfOneDevicePerDay"
>;

/**
 * The error if a reporter may not report this device now, or undefined. There are limits for the other devices that it
 * reported in the last hour and in the last day, and for the messages of this device that it reported in the last day. A
 * device leaves a window with the last report about it. `usage` covers the last day.
 */
export function refusalOf(
  usage: readonly ReporterUsage[],
  reported: string,
  { now, config }: { now: number; config: ReportLimitConfig },
): RelayError | undefined {
  const others = usage.filter((one) => one.reported !== reported).map((one) => one.lastAt);
  const own = usage.find((one) => one.reported === reported);
  const hour = findFullWindow(others, { seconds: hourSeconds, limit: config.spamReportsPerHour, now });
  const day = findFullWindow(others, { seconds: daySeconds, limit: config.spamReportsPerDay, now });
  const refused = later(hour, day);
  if (refused !== undefined) return rateLimitExceeded("too many devices were reported", { ...refused, now });
  const limit = config.spamReportsOfOneDevicePerDay;
  if (own === undefined || own.reports < limit) return undefined;
  const resetAt = own.firstAt + daySeconds;
  return rateLimitExceeded("too many messages of one device were reported", { limit, resetAt, now });
}

interface FullWindow {
  limit: number;
  /** When another device may be reported, in Unix seconds. */
  resetAt: number;
}

/** The window if it is full. It has room again when the oldest of the last `limit` devices leaves it. */
function findFullWindow(
  lastAt: readonly number[],
  window: { seconds: number; limit: number; now: number },
): FullWindow | undefined {
  const { seconds, limit, now } = window;
  const within = lastAt.filter((at) => at > now - seconds).toSorted((a, b) => b - a);
  const oldest = within[limit - 1];
  return oldest === undefined ? undefined : { limit, resetAt: oldest + seconds };
}

function later(a: FullWindow | undefined, b: FullWindow | undefined): FullWindow | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.resetAt >= b.resetAt ? a : b;
}
