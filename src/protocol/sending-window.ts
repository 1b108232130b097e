// The fixed window in which a device's sent messages are counted. It begins with the first counted message, not with the
// hour, and the next one begins with the first message counted after its end. All times in Unix seconds.

/** A device's window. `carry` is what the window before left over and this one may use beside its limit. */
export interface SendingWindow {
  startedAt: number;
  count: number;
  limit: number;
  carry: number;
}

export interface WindowRules {
  now: number;
  windowSeconds: number;
  /** Most messages that may be carried over (`rate_limiting.burst_allowance`). */
  burstAllowance: number;
  /** The device's limit at this time. */
  limit: number;
  /** Whether the limit is a custom one: those neither carry over nor receive. */
  custom: boolean;
}

/** Whether the window still runs. */
export function windowStands(
  window: SendingWindow,
  { now, windowSeconds }: Pick<WindowRules, "now" | "windowSeconds">,
) {
  return now < resetAt(window, windowSeconds);
}

/** When the window ends. */
export function resetAt(window: Pick<SendingWindow, "startedAt">, windowSeconds: number): number {
  return window.startedAt + windowSeconds;
}

/** What is unused of a window: its limit and what was carried into it, less what was sent; never below 0. */
export function unusedQuota(window: Pick<SendingWindow, "count" | "limit" | "carry">): number {
  return Math.max(0, window.limit + window.carry - window.count);
}

/** What a new window takes over from the last one; nothing where there was none, and nothing under a custom limit. */
export function carryOver(last: SendingWindow | null, { burstAllowance, custom }: WindowRules): number {
  return last === null || custom ? 0 : Math.min(burstAllowance, unusedQuota(last));
}

/**
 * The window that a message sent now falls into: the last one while it runs, with today's limit (a promotion counts at
 * once, a custom limit drops what was carried over), else a new and empty one.
 */
export function currentWindow(last: SendingWindow | null, rules: WindowRules): SendingWindow {
  if (last !== null && windowStands(last, rules)) {
    return { ...last, limit: rules.limit, carry: rules.custom ? 0 : last.carry };
  }
  return { startedAt: rules.now, count: 0, limit: rules.limit, carry: carryOver(last, rules) };
}
