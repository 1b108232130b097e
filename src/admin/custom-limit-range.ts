import { invalidMember } from "../protocol/errors.js";
import type { AdminSettings } from "./config.js";

/** A limit that an administrator sets for one device. */
export interface CustomLimit {
  /** Messages per window; null removes the custom limit. */
  limit: number | null;
  /** Unix seconds; null for a limit without an end. */
  expiresAt: number | null;
}

/**
 * Checks a limit against the server's maximum, which may be lower than the contract's. Throws INVALID_RATE_LIMIT, or INVALID_REQUEST if its
 * end is in the past.
 */
export function checkCustomLimit(
  { limit, expiresAt }: CustomLimit,
  { now, config: { customRateLimitMax: max } }: { now: number; config: Pick<AdminSettings, "customRateLimitMax"> },
): void {
  if (limit !== null && limit > max)
    throw invalidMember("custom_rate_limit", `must be 0 to ${max}`, { id: "INVALID_RATE_LIMIT" });
  if (expiresAt !== null && expiresAt <= now) throw invalidMember("expires_at", "must be in the future");
}
