import type { OutgoingMessage } from "../../messages/model/types.js";
import { daySeconds } from "../../protocol/units.js";

/**
 * When a message for another server is given up, in Unix seconds: at the end of its lifetime, but after
 * `max_retention_days` at the latest.
 */
export function expiryOf(
  { lifetimeSeconds = Number.POSITIVE_INFINITY }: Pick<OutgoingMessage, "lifetimeSeconds">,
  { nowMillis, maxRetentionDays }: { nowMillis: number; maxRetentionDays: number },
): number {
  return Math.floor(nowMillis / 1000) + Math.min(lifetimeSeconds, maxRetentionDays * daySeconds);
}
