import type { Database } from "../../database/db.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { RowsVanished } from "../model/retry.js";
import { createQueues } from "../queue/counters-store.js";
import { type LookedUp, unique } from "./model/stages.js";

export interface KnownQueues {
  /** Creates the queues of recipients that have none. */
  ensure(messages: readonly LookedUp[]): Promise<void>;
  /** Forgets queues that an error reports as gone, and rethrows the error. */
  forgetVanished(error: unknown): never;
}

const rememberedQueues = 100_000;

/** Remembers which devices have a queue, so that a flush need not ask. */
export function createKnownQueues({ db }: { db: Database }): KnownQueues {
  const known = createLruCache<string, true>(rememberedQueues);
  return {
    async ensure(messages) {
      const recipients = messages.map(({ recipient }) => recipient?.device_id).filter((id) => id !== undefined);
      const missing = unique(recipients).filter((id) => !known.has(id));
      if (missing.length === 0) return;
      await createQueues(db, missing.sort());
      for (const id of missing) known.set(id, true);
    },
    forgetVanished(error) {
      if (error instanceof RowsVanished) for (const id of error.deviceIds) known.delete(id);
      throw error;
    },
  };
}
