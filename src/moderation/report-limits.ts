import { secondsSince } from "../node/clock.js";
import type { RelayError } from "../protocol/errors.js";
import { type LimitState, rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { ModerationSettings } from "./config.js";
import type { ReporterUsage } from "./store.js";

/**
 * The error if a reporter may not report this device now, or undefined. There are limits for the other devices that it
 * reported in the last hour and in the last day, and for the messages of this device that it reported in the last day. A
 * device leaves a window with the last report about it. `usage` covers the last day.
 */
export function refusalOf(
  usage: readonly ReporterUsage[],
  reported: string,
  { now, config }: { now: number; config: ModerationSettings },
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

/** What is left of a reporter's limits. `reported` adds the limit of that device. */
export function reportStates(
  usage: readonly ReporterUsage[],
  { now, config, reported }: { now: number; config: ModerationSettings; reported?: string },
): LimitState[] {
  const lastAt = usage.map((one) => one.lastAt);
  const states = [
    stateOf("spam_reports_hour", lastAt, { windowSeconds: hourSeconds, limit: config.spamReportsPerHour, now }),
    stateOf("spam_reports_day", lastAt, { windowSeconds: daySeconds, limit: config.spamReportsPerDay, now }),
  ];
  if (reported === undefined) return states;
  const own = usage.find((one) => one.reported === reported);
  const limit = config.spamReportsOfOneDevicePerDay;
  const ofDevice = {
    name: "spam_reports_of_device",
    limit,
    remaining: Math.max(0, limit - (own?.reports ?? 0)),
    windowSeconds: daySeconds,
    resetAt: own === undefined ? null : own.firstAt + daySeconds,
  };
  return [...states, ofDevice];
}

/** The window slides, so its state ends when the oldest device leaves it. */
function stateOf(
  name: string,
  lastAt: readonly number[],
  { windowSeconds, limit, now }: { windowSeconds: number; limit: number; now: number },
): LimitState {
  const within = lastAt.filter((at) => secondsSince(at, now) < windowSeconds);
  const resetAt = within.length === 0 ? null : Math.min(...within) + windowSeconds;
  return { name, limit, remaining: Math.max(0, limit - within.length), windowSeconds, resetAt };
}

/** The usage with one more report. */
export function withReport(usage: readonly ReporterUsage[], reported: string, now: number): ReporterUsage[] {
  const own = usage.find((one) => one.reported === reported) ?? { reported, reports: 0, firstAt: now, lastAt: now };
  const others = usage.filter((one) => one.reported !== reported);
  return [...others, { ...own, reports: own.reports + 1, lastAt: now }];
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
  const within = lastAt.filter((at) => secondsSince(at, now) < seconds).toSorted((a, b) => b - a);
  const oldest = within[limit - 1];
  return oldest === undefined ? undefined : { limit, resetAt: oldest + seconds };
}

function later(a: FullWindow | undefined, b: FullWindow | undefined): FullWindow | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.resetAt >= b.resetAt ? a : b;
}
