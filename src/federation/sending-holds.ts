import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Random } from "../platform/random.js";
import { type BackoffLimits, backoffMillis } from "./sending-backoff.js";
import { holdRecipients, readHolds } from "./sending-store.js";
import type { SentItem } from "./sending-verdict.js";

/**
 * Puts the recipients of messages off that the peer may take later, each for a time that grows with its own failures:
 * one whose queue is full for a week is asked about once an hour, and nobody else waits for it.
 */
export async function putOff(
  domain: string,
  items: readonly SentItem[],
  needs: { db: Knex; clock: Clock; random: Pick<Random, "fraction">; limits: BackoffLimits },
): Promise<void> {
  const recipients = [...new Set(items.map(({ recipient }) => recipient))].sort();
  const failures = await readHolds(needs.db, { domain, recipients });
  const now = needs.clock.nowMillis();
  const holds = recipients.map((recipient) => ({
    recipient,
    untilMillis: now + backoffMillis((failures.get(recipient) ?? 0) + 1, {}, needs),
  }));
  await holdRecipients(needs.db, { domain, holds });
}
