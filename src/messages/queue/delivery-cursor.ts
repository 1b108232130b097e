import type { Knex } from "knex";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import { createPeriodic } from "../../platform/cluster/periodic.js";
import { inTransaction } from "../../platform/database/connection.js";
import type { Logger } from "../../platform/logger.js";
import { retrying } from "../ingest/retry.js";
import { keepArrayOrder } from "../ingest/store.js";
import type { QueuedMessage } from "../types.js";
import { advanceCursors, type HandOut } from "./store.js";

/** Notes what leaves the queues for their devices. */
export interface DeliveryCursor {
  start(): void;
  stop(): Promise<void>;
  /**
   * Messages in order that were handed out, with the cursor as it was; `skipping` says that older ones may have been
   * left out. Counts the latency of those behind the cursor and moves it, later and together with others.
   */
  note(deviceId: string, messages: readonly QueuedMessage[], from: { delivered: number; skipping: boolean }): void;
}

const flushEveryMillis = 1_000;
const cursorsPerStatement = 2_000;
const cursorsPending = 100_000;

/**
 * No message costs a write when it is handed out. A cursor that was not yet written when a node dies only means that the
 * messages count as not handed out.
 */
export function createDeliveryCursor(deps: {
  db: Knex;
  clock: Clock;
  metrics: Pick<MetricsService, "observe">;
  logger: Logger;
}): DeliveryCursor {
  const { db, clock, metrics, logger } = deps;
  const pending = new Map<string, HandOut>();

  /** What is noted meanwhile waits for the next time: else one flush would follow the other for as long as messages flow. */
  const flush = async (): Promise<void> => {
    for (let left = pending.size; left > 0; left -= cursorsPerStatement) {
      const some = [...pending.values()].slice(0, Math.min(left, cursorsPerStatement));
      for (const { deviceId } of some) pending.delete(deviceId);
      const inOrder = some.sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
      await retrying(() =>
        inTransaction(db, async (trx) => {
          await keepArrayOrder(trx);
          await advanceCursors(trx, inOrder);
        }),
      );
    }
  };
  const periodic = createPeriodic({
    everyMillis: flushEveryMillis,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "the delivery cursors were not moved"),
  });

  return {
    start: periodic.start,
    async stop() {
      await periodic.stop();
      await periodic.run();
    },
    note(deviceId, messages, { delivered, skipping }) {
      const [first, last] = [messages[0], messages.at(-1)];
      if (first === undefined || last === undefined || last.position <= delivered) return;
      const now = clock.nowMillis();
      for (const message of messages) {
        if (message.position <= delivered) continue;
        metrics.observe("delivery_latency", Math.max(0, now - (message.acceptedAtMillis ?? message.receivedAt * 1000)));
      }
      if (pending.size >= cursorsPending && !pending.has(deviceId)) return;
      pending.set(
        deviceId,
        merge(pending.get(deviceId), { deviceId, first: skipping ? first.position : 0, last: last.position }),
      );
    },
  };
}

/** Two hand-outs of one queue as one where they join; else the one that skipped nothing, or the later one. */
function merge(known: HandOut | undefined, next: HandOut): HandOut {
  if (known === undefined || next.first <= known.last + 1) {
    const first = Math.min(known?.first ?? next.first, next.first);
    return { ...next, first, last: Math.max(known?.last ?? 0, next.last) };
  }
  return known.first === 0 ? known : next;
}
