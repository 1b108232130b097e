import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Logger } from "../../platform/logger.js";
import type { Domain } from "../../protocol/address.js";
import { clearBackoff, clearBackoffBelow } from "../outbox/lease-store.js";

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
