import type { Db } from "../../database/db.js";
import { type OpenPipeline, together } from "../../database/pipeline/pipelines.js";
import { type Removal, subtractFromQueues } from "./counters-store.js";
import { byDevice, keepArrayOrder } from "./lock-order.js";
import { deleteMessages, type QueuePosition } from "./store.js";

/** A message to remove. `pushed` means that a stream has delivered everything up to it. */
export interface MessageToRemove extends QueuePosition {
  messageId: string;
  pushed?: boolean;
}

/**
 * Removes messages from queues and adjusts the queues' counters, in the caller's transaction. Returns the messages that
 * were there. Both statements take devices in one order, as ingest does.
 */
export async function removeFromQueues(trx: Db, messages: readonly MessageToRemove[]): Promise<QueuePosition[]> {
  const inOrder = [...messages].sort(byDevice);
  await keepArrayOrder(trx);
  const removed = await deleteMessages(trx, inOrder);
  const removals = removalsOf(removed, inOrder);
  if (removals.length > 0) await subtractFromQueues(trx, removals);
  return removed;
}

/**
 * The same in a separate transaction, in two round trips. The rows of the queues, for which ingest waits, are locked
 * only as long as the commit takes. `deleted` is called between the two.
 */
export async function removeInOwnTransaction(
  pipeline: OpenPipeline,
  messages: readonly MessageToRemove[],
  deleted: () => void = () => undefined,
): Promise<QueuePosition[]> {
  const inOrder = [...messages].sort(byDevice);
  const [, removed] = await together([pipeline.begin(), deleteMessages(pipeline, inOrder)]);
  deleted();
  const removals = removalsOf(removed, inOrder);
  await together([
    removals.length === 0 ? Promise.resolve() : subtractFromQueues(pipeline, removals),
    pipeline.commit(),
  ]);
  return removed;
}

/** The totals of the removed messages by queue, ordered by device id. */
function removalsOf(
  removed: readonly (QueuePosition & { bytes: number })[],
  requested: readonly MessageToRemove[],
): Removal[] {
  const removals = new Map<string, Removal>();
  for (const { deviceId, bytes } of removed) {
    const removal = removals.get(deviceId) ?? { deviceId, messages: 0, bytes: 0, delivered: 0 };
    removal.messages += 1;
    removal.bytes += bytes;
    removals.set(deviceId, removal);
  }
  for (const { deviceId, position, pushed } of requested) {
    const removal = removals.get(deviceId);
    if (removal !== undefined && pushed === true) removal.delivered = Math.max(removal.delivered, position);
  }
  return [...removals.values()].sort(byDevice);
}
