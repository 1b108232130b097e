import type { Knex } from "knex";
import { inTransaction } from "../platform/database/connection.js";
import { createGatherer } from "./gather.js";
import { keepArrayOrder } from "./intake-store.js";
import { detachStreams } from "./presence-store.js";
import { retrying } from "./retrying.js";

/** Ends the presence of streams, many at once: they tend to end together. */
export interface Detaching {
  detach(deviceId: string, streamId: string): Promise<void>;
  stop(): Promise<void>;
}

const bounds = {
  flushCount: 1_000,
  flushBytes: Number.POSITIVE_INFINITY,
  waitingCount: 1_000_000,
  waitingBytes: Number.POSITIVE_INFINITY,
  concurrent: 1,
};

export function createDetaching({ db }: { db: Knex }): Detaching {
  const gatherer = createGatherer<{ deviceId: string; streamId: string }, void>({
    name: "streams",
    bounds,
    async flush(streams) {
      const inOrder = [...streams].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
      await retrying(() =>
        inTransaction(db, async (trx) => {
          await keepArrayOrder(trx);
          await detachStreams(trx, inOrder);
        }),
      );
      return [];
    },
  });

  return {
    detach: (deviceId, streamId) => gatherer.add({ deviceId, streamId }, { count: 1, bytes: 0 }),
    stop: () => gatherer.stop(),
  };
}
