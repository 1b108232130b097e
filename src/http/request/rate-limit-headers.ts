import type { LimitState } from "../../protocol/rate-limit.js";

/** The limits that a request was counted by. */
export interface ObservedLimits {
  states: readonly LimitState[];
  /** Unix seconds. */
  now: number;
}

/** Adds states to those observed before. If a limit is observed again, the later state replaces the earlier one. */
export function withStates(before: ObservedLimits | null, states: readonly LimitState[], now: number): ObservedLimits {
  if (before === null) return { states, now };
  const names = new Set(states.map(({ name }) => name));
  return { states: [...before.states.filter(({ name }) => !names.has(name)), ...states], now };
}

/**
 * The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10): lists of structured fields, one
 * item for each limit, named alike in both. A limit whose window has not begun has no `t`.
 */
export function rateLimitHeaders({ states, now }: ObservedLimits): string[] {
  let policies = "";
  let limits = "";
  for (const { name, limit, remaining, windowSeconds, resetAt } of states) {
    const separator = policies === "" ? "" : ", ";
    const reset = resetAt === null ? "" : `;t=${Math.max(0, resetAt - now)}`;
    policies += `${separator}"${name}";q=${limit};w=${windowSeconds}`;
    limits += `${separator}"${name}";r=${remaining}${reset}`;
  }
  return policies === "" ? [] : ["RateLimit-Policy", policies, "RateLimit", limits];
}
