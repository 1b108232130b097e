import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { clearBackoff, clearBackoffBelow, holdRecipients, readHolds } from "./lease-store.js";
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

/** Ends our waiting for a peer that shows itself. */
export interface PeerVisits {
  /** Returns at once. */
  called(domain: Domain): void;
  /** A host, and what is below it, is no longer blocked here. Returns at once. */
  unblocked(host: string): void;
  stop(): Promise<void>;
}

const remembered = 10_000;

/** A peer that can call us but cannot be called would have us try at each of its calls: once in a while is enough. */
export function createPeerVisits(deps: {
  db: Knex;
  clock: Clock;
  logger: Logger;
  config: Pick<Config, "outboxClearSeconds">;
  wake(): void;
}): PeerVisits {
  const { db, clock, logger, config } = deps;
  const noted = new LRUCache<Domain, number>({ max: remembered });
  const running = new Set<Promise<void>>();

  const clear = (domain: string, clearing: () => Promise<boolean>): void => {
    const work: Promise<void> = clearing()
      .then((cleared) => (cleared ? deps.wake() : undefined))
      .catch((error: unknown) => logger.warn({ err: error, domain }, "a destination's backoff could not be cleared"))
      .finally(() => running.delete(work));
    running.add(work);
  };

  return {
    called(domain) {
      const nowMillis = clock.nowMillis();
      if (nowMillis - (noted.get(domain) ?? Number.NEGATIVE_INFINITY) < config.outboxClearSeconds * 1000) return;
      noted.set(domain, nowMillis);
      clear(domain, () => clearBackoff(db, { domain, nowMillis }));
    },
    unblocked(host) {
      clear(host, () => clearBackoffBelow(db, { host, nowMillis: clock.nowMillis() }));
    },
    async stop() {
      await Promise.all(running);
    },
  };
}
