import type { OutgoingMessage } from "../../messages/model/types.js";
import { daySeconds } from "../../protocol/units.js";

/**
 * Until when a message for another server is kept and tried, in Unix seconds: to the end of its lifetime, or of
 * `max_retention_days`.
 */
export function expiryOf(
  { lifetimeSeconds = Number.POSITIVE_INFINITY }: Pick<OutgoingMessage, "lifetimeSeconds">,
  { nowMillis, maxRetentionDays }: { nowMillis: number; maxRetentionDays: number },
): number {
  return Math.floor(nowMillis / 1000) + Math.min(lifetimeSeconds, maxRetentionDays * daySeconds);
}
