import type { Db } from "../database/db.js";
import { type LimitRequest, limitError } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { RelayError } from "../protocol/errors.js";

// A claim gets the last-resort package of a device (RFC 9420, section 16.8) if no other is left, or if too many have been
// claimed, so that nobody can use up the packages of others.

/** When a claim gets the last-resort package although others may be left. */
export type Sparing =
  | "no"
  /** Only if there is one. */
  | "where possible"
  /** In any case; without one, the claim is refused with this error. */
  | RelayError;

/** The limits of a claim of one device's packages. */
export interface TargetLimits {
  /** Beyond these, the claimant is refused. */
  ofClaimant: readonly LimitRequest[];
  /** Beyond it, the claimant gets the last-resort package only. */
  ofPair: LimitRequest;
  /** Beyond it, all claimants get the last-resort package if there is one. */
  ofTarget: LimitRequest;
}

/**
 * Counts a package of one device, in the transaction that takes it, and says whether it must be the last-resort one. Throws
 * RATE_LIMIT_EXCEEDED for a limit of the claimant alone. The windows of the claimant are locked in one statement, as a
 * fetch locks them.
 */
export async function countClaim(
  db: Db,
  rateLimiter: Pick<RateLimiter, "count" | "take">,
  { ofClaimant, ofPair, ofTarget }: TargetLimits,
): Promise<Sparing> {
  const { refused, now } = await rateLimiter.take(db, [...ofClaimant, ofPair]);
  if (refused === undefined) {
    const target = await rateLimiter.take(db, [ofTarget]);
    return target.refused === undefined ? "no" : "where possible";
  }
  if (ofClaimant.length > 0) await rateLimiter.count(db, ofClaimant);
  return limitError(refused, now);
}
