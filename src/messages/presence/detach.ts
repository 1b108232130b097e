import type { Database } from "../../database/db.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import { retrying } from "../model/retry.js";
import { byDevice, keepArrayOrder } from "../queue/lock-order.js";
import { detachStreams } from "../queue/stream-store.js";

const bounds = {
  flushCount: 1_000,
  flushBytes: Number.POSITIVE_INFINITY,
  waitingCount: 1_000_000,
  waitingBytes: Number.POSITIVE_INFINITY,
  concurrent: 1,
};

/** Ends the presence of streams, in batches: streams tend to end together. */
export function createDetach({ db }: { db: Database }) {
  const batcher = createBatcher<{ deviceId: string; streamId: string }, void>({
    name: "streams",
    bounds,
    async flush(streams) {
      const inOrder = [...streams].sort(byDevice);
      await retrying(() =>
        db.transaction(async (trx) => {
          await keepArrayOrder(trx);
          await detachStreams(trx, inOrder);
        }),
      );
      return [];
    },
  });

  return {
    detach: (deviceId: string, streamId: string) => batcher.add({ deviceId, streamId }, { count: 1, bytes: 0 }),
    stop: () => batcher.stop(),
  };
}
