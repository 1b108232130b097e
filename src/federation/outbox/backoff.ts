import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Random } from "../../platform/random.js";
import { holdRecipients, readHolds } from "./lease-store.js";
import type { SentItem } from "./response.js";

const millis = 1000;
const mostDoublings = 40;

/**
 * How long to wait after so many failures in a row: a random part of a time that doubles with each up to the longest
 * (full jitter), but never less than the peer asked for, up to the same bound. Milliseconds.
 */
export function backoffMillis(
  failures: number,
  asked: { retryAfterSeconds?: number | null },
  deps: { random: Pick<Random, "fraction">; config: BackoffLimits },
): number {
  const { outboxMinBackoffSeconds: least, outboxMaxBackoffSeconds: most } = deps.config;
  const longest = Math.min(most, least * 2 ** Math.min(Math.max(0, failures - 1), mostDoublings));
  const wait = Math.ceil(deps.random.fraction() * longest * millis);
  const floor = Math.min(most, asked.retryAfterSeconds ?? 0) * millis;
  return Math.max(wait, floor);
}

export interface BackoffLimits {
  outboxMinBackoffSeconds: number;
  outboxMaxBackoffSeconds: number;
}

/**
 * Puts the recipients of messages off that the peer may take later, each for a time that grows with its own failures:
 * one whose queue is full for a week is asked about once an hour, and nobody else waits for it.
 */
export async function putOff(
  domain: string,
  items: readonly SentItem[],
  deps: { db: Knex; clock: Clock; random: Pick<Random, "fraction">; config: BackoffLimits },
): Promise<void> {
  const recipients = [...new Set(items.map(({ recipient }) => recipient))].sort();
  const failures = await readHolds(deps.db, { domain, recipients });
  const now = deps.clock.nowMillis();
  const holds = recipients.map((recipient) => ({
    recipient,
    untilMillis: now + backoffMillis((failures.get(recipient) ?? 0) + 1, {}, deps),
  }));
  await holdRecipients(deps.db, { domain, holds });
}
