import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Logger } from "../../platform/logger.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import { daySeconds, hourSeconds } from "../../protocol/units.js";
import type { OutboxSettings } from "./config.js";
import { clearBackoff, clearBackoffBelow, holdRecipients, readHolds } from "./lease-store.js";
import type { SentItem } from "./response.js";
import { enoughAnswers } from "./stored-transaction.js";

const millis = 1000;
const maxRepeatSeconds = daySeconds;

export type BackoffConfig = Pick<OutboxSettings, "outboxMinBackoffSeconds" | "outboxMaxBackoffSeconds">;

/**
 * The wait in milliseconds after a number of failures in a row: a random part of a time that doubles with each failure up to
 * the maximum (full jitter), but not less than the peer asked for, within the same maximum.
 */
export function backoffMillis(
  failures: number,
  asked: { retryAfterSeconds?: number | null },
  deps: { random: Pick<Random, "fraction">; config: BackoffConfig },
): number {
  const { outboxMinBackoffSeconds: min, outboxMaxBackoffSeconds: max } = deps.config;
  const longest = doublingWait(failures, { first: min, longest: max });
  const wait = Math.ceil(deps.random.fraction() * longest * millis);
  const floor = Math.min(max, asked.retryAfterSeconds ?? 0) * millis;
  return Math.max(wait, floor);
}

/**
 * The wait before a peer is asked again that may have stored the messages although its answers do not say so. Each attempt can be
 * a copy for the recipient, so there are no more than three in an hour.
 */
export function repeatMillis(times: number, deps: Parameters<typeof backoffMillis>[2]): number {
  if (times < enoughAnswers) return backoffMillis(times, {}, deps);
  return doublingWait(times - enoughAnswers + 1, { first: hourSeconds, longest: maxRepeatSeconds }) * millis;
}

/**
 * Puts recipients on hold that the peer may accept messages for later. Each hold grows with the recipient's own failures:
 * a queue that is full for a week is tried about once an hour, and no other recipient waits for it.
 */
export async function deferRecipients(
  domain: string,
  items: readonly SentItem[],
  deps: { db: Database; clock: Clock; random: Pick<Random, "fraction">; config: BackoffConfig },
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

const maxPeersRemembered = 10_000;

/**
 * Ends the backoff of a peer early, once there is a reason to expect that it can be reached. A peer that can call us
 * but cannot be called must not cause an attempt at each of its calls, so calls are rate-limited.
 */
export function createBackoffReset(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  config: Pick<OutboxSettings, "outboxClearSeconds">;
  wake(): void;
}) {
  const { db, clock, logger, config } = deps;
  const lastReset = createLruCache<Domain, number>(maxPeersRemembered);
  const running = new Set<Promise<void>>();

  const clear = (domain: string, clearing: () => Promise<boolean>): void => {
    const work: Promise<void> = clearing()
      .then((cleared) => (cleared ? deps.wake() : undefined))
      .catch((error: unknown) =>
        logger.warn({ err: error, domain }, "the backoff of a destination could not be cleared"),
      )
      .finally(() => running.delete(work));
    running.add(work);
  };

  return {
    /** The peer has called this server. Returns at once. */
    peerCalled(domain: Domain): void {
      const nowMillis = clock.nowMillis();
      if (nowMillis - (lastReset.get(domain) ?? Number.NEGATIVE_INFINITY) < config.outboxClearSeconds * 1000) return;
      lastReset.set(domain, nowMillis);
      clear(domain, () => clearBackoff(db, { domain, nowMillis }));
    },
    /** A host and the names below it are no longer blocked here. Returns at once. */
    unblocked(host: string): void {
      clear(host, () => clearBackoffBelow(db, { host, nowMillis: clock.nowMillis() }));
    },
    async stop(): Promise<void> {
      await Promise.all(running);
    },
  };
}
