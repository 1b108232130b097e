import { type LimitRequest, limitError, limitRequest } from "../limits/limit-request.js";
import { secondsSince } from "../node/clock.js";
import type { RelayError } from "../protocol/errors.js";
import type { LimitState } from "../protocol/rate-limit.js";
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
  const { hour, day, ofDevice } = windowsOf(config);
  const refused = later(findFullWindow(others, hour, now), findFullWindow(others, day, now));
  if (refused !== undefined) return limitError(refused, now);
  if (own === undefined || own.reports < ofDevice.limit) return undefined;
  return limitError({ ...ofDevice, resetAt: own.firstAt + ofDevice.windowSeconds }, now);
}

/** What is left of a reporter's limits. `reported` adds the limit of that device. */
export function reportStates(
  usage: readonly ReporterUsage[],
  { now, config, reported }: { now: number; config: ModerationSettings; reported?: string },
): LimitState[] {
  const lastAt = usage.map((one) => one.lastAt);
  const { hour, day, ofDevice } = windowsOf(config);
  const states = [stateOf(hour, lastAt, now), stateOf(day, lastAt, now)];
  if (reported === undefined) return states;
  const own = usage.find((one) => one.reported === reported);
  const { name, limit, windowSeconds } = ofDevice;
  const remaining = Math.max(0, limit - (own?.reports ?? 0));
  const resetAt = own === undefined ? null : own.firstAt + windowSeconds;
  return [...states, { name, limit, remaining, windowSeconds, resetAt }];
}

/** They are not counted in `rate_limits`: the reports themselves say what was reported, and when. */
function windowsOf(config: ModerationSettings) {
  const reporter = { ids: [] };
  return {
    hour: limitRequest("spam_reports_hour", reporter, config),
    day: limitRequest("spam_reports_day", reporter, config),
    ofDevice: limitRequest("spam_reports_of_device", reporter, config),
  };
}

/** The window slides, so its state ends when the oldest device leaves it. */
function stateOf({ name, limit, windowSeconds }: LimitRequest, lastAt: readonly number[], now: number): LimitState {
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

interface FullWindow extends LimitRequest {
  /** When another device may be reported, in Unix seconds. */
  resetAt: number;
}

/** The window if it is full. It has room again when the oldest of the last `limit` devices leaves it. */
function findFullWindow(lastAt: readonly number[], window: LimitRequest, now: number): FullWindow | undefined {
  const { limit, windowSeconds } = window;
  const within = lastAt.filter((at) => secondsSince(at, now) < windowSeconds).toSorted((a, b) => b - a);
  const oldest = within[limit - 1];
  return oldest === undefined ? undefined : { ...window, resetAt: oldest + windowSeconds };
}

function later(a: FullWindow | undefined, b: FullWindow | undefined): FullWindow | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.resetAt >= b.resetAt ? a : b;
}
