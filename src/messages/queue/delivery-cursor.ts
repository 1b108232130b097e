import { commitAsynchronously } from "../../database/asynchronous-commit.js";
import type { Database } from "../../database/db.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import { createPeriodic } from "../../platform/concurrency/periodic.js";
import type { Logger } from "../../platform/logger.js";
import { retrying } from "../model/retry.js";
import type { QueuedMessage } from "../model/types.js";
import { advanceCursors, type DeliveredRange } from "./counters-store.js";
import { byDevice, keepArrayOrder } from "./lock-order.js";

/** Records up to where queues have been delivered to their devices. */
export interface DeliveryCursor {
  start(): void;
  stop(): Promise<void>;
  /**
   * Records the delivery of messages, which are in order. `delivered` is the cursor before them; `skipping` means that
   * older messages may have been left out. Measures the latency of messages after the cursor at once; the cursor is
   * moved later, together with others.
   */
  note(deviceId: string, messages: readonly QueuedMessage[], from: { delivered: number; skipping: boolean }): void;
}

const flushEveryMillis = 1_000;
const cursorsPerStatement = 2_000;
const cursorsPending = 100_000;

/**
 * Delivering a message needs no separate write: cursors are written once a second. If a node dies first, its last
 * messages merely count as not delivered.
 */
export function createDeliveryCursor(deps: {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "observe">;
  logger: Logger;
  /** Whether the rows of a device are on a machine of the database that does not answer. */
  isDown(deviceId: string): boolean;
}): DeliveryCursor {
  const { db, clock, metrics, logger, isDown } = deps;
  const pending = new Map<string, DeliveredRange>();

  /** Deliveries recorded meanwhile wait for the next flush. Otherwise flushes would never end while messages flow. */
  const flush = async (): Promise<void> => {
    for (let left = pending.size; left > 0; left -= cursorsPerStatement) {
      const some = [...pending.values()].slice(0, Math.min(left, cursorsPerStatement));
      for (const { deviceId } of some) pending.delete(deviceId);
      // A cursor that is not moved merely makes messages count as not delivered.
      const inOrder = some.filter(({ deviceId }) => !isDown(deviceId)).sort(byDevice);
      if (inOrder.length === 0) continue;
      await retrying(() =>
        db.transaction(async (trx) => {
          // Ingest waits for these rows; losing a cursor in a crash only makes messages count as not delivered.
          await commitAsynchronously(trx);
          await keepArrayOrder(trx);
          await advanceCursors(trx, inOrder);
        }),
      );
    }
  };
  const periodic = createPeriodic({
    everyMillis: flushEveryMillis,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "delivery cursors could not be moved"),
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

/** Merges two ranges of one queue if they join; otherwise returns the one that skipped nothing, or the later one. */
function merge(known: DeliveredRange | undefined, next: DeliveredRange): DeliveredRange {
  if (known === undefined || next.first <= known.last + 1) {
    const first = Math.min(known?.first ?? next.first, next.first);
    return { ...next, first, last: Math.max(known?.last ?? 0, next.last) };
  }
  return known.first === 0 ? known : next;
}
