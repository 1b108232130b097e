import type { DueTimes } from "../node/due-times.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { Config } from "./config.js";

/** Messages, and with them the contents of slots, are kept for no longer (`max_retention_days`), unless SLOT_RETENTION_DAYS says so. */
const longestRetentionDays = 366;

/**
 * Times for which something waits: the next attempt, the end of a pause, a lease, a limit or a ban. What only ends something, like an
 * expiry, is not here: it is kept for longer, and nobody waits for that.
 */
export function dueTimesOf({
  slotRetentionDays,
  spamBanSeconds,
}: Pick<Config, "slotRetentionDays" | "spamBanSeconds">): readonly DueTimes[] {
  // The shares of the space for slots and blobs are counted for as long as their contents are kept.
  const longestWindowSeconds = Math.max(longestRetentionDays, slotRetentionDays) * daySeconds;
  return [
    ofMillis("outbox_destinations", "next_attempt_millis", daySeconds),
    ofMillis("outbox_transactions", "due_millis", daySeconds),
    ofMillis("outbox_holds", "until_millis", daySeconds),
    ofMillis("push_subscriptions", "due_at_millis", daySeconds),
    ofMillis("push_subscriptions", "leased_until_millis", hourSeconds),
    ofSeconds("push_services", "paused_until", daySeconds),
    ofSeconds("alert_pushes", "next_attempt_at", hourSeconds),
    ofSeconds("rate_limits", "expires_at", longestWindowSeconds),
    ofSeconds("sending_windows", "started_at", hourSeconds),
    ofSeconds("sending_windows", "misses_started_at", hourSeconds),
    ofSeconds("ip_bans", "banned_until", daySeconds),
    // Longer than a ban of now: by a clock that was ahead, or by a SPAM_BAN_SECONDS that has been lowered since.
    { ...ofSeconds("devices", "banned_until", spamBanSeconds), isCut: true },
    { ...ofSeconds("block_tombstones", "banned_until", spamBanSeconds), isCut: true },
  ];
}

function ofMillis(table: string, column: string, longestSeconds: number): DueTimes {
  return { table, column, unit: "millis", longestSeconds };
}

function ofSeconds(table: string, column: string, longestSeconds: number): DueTimes {
  return { table, column, unit: "seconds", longestSeconds };
}
