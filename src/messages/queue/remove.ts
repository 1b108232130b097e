import type { Db } from "../../platform/database/connection.js";
import { type OpenPipeline, together } from "../../platform/database/pipelines.js";
import { keepArrayOrder } from "../ingest/store.js";
import { deletePlaces, type Place, type Removal, subtractFromQueues } from "./store.js";

/** A row to remove; `pushed` says that a stream handed out everything up to it. */
export interface RemovedMessage extends Place {
  pushed?: boolean;
}

/**
 * Removes rows from queues and adjusts the queues' counters, in the caller's transaction. Returns the rows that were
 * there. Both statements go through devices in one order, as the intake does.
 */
export async function removeFromQueues(trx: Db, places: readonly RemovedMessage[]): Promise<Place[]> {
  const inOrder = [...places].sort(byPlace);
  await keepArrayOrder(trx);
  const removed = await deletePlaces(trx, inOrder);
  const removals = removalsOf(removed, inOrder);
  if (removals.length > 0) await subtractFromQueues(trx, removals);
  return removed;
}

/**
 * The same in a transaction of its own, in two trips to the database. The queues' rows, which the intake waits for, are
 * locked for no longer than the commit takes.
 */
export async function removeAtOnce(pipeline: OpenPipeline, places: readonly RemovedMessage[]): Promise<Place[]> {
  const inOrder = [...places].sort(byPlace);
  const [, removed] = await together([pipeline.begin(), deletePlaces(pipeline, inOrder)]);
  const removals = removalsOf(removed, inOrder);
  await together([
    removals.length === 0 ? Promise.resolve() : subtractFromQueues(pipeline, removals),
    pipeline.commit(),
  ]);
  return removed;
}

/** What the rows that were there take from each queue, in the order of their ids. */
function removalsOf(removed: readonly (Place & { bytes: number })[], asked: readonly RemovedMessage[]): Removal[] {
  const removals = new Map<string, Removal>();
  for (const { deviceId, bytes } of removed) {
    const removal = removals.get(deviceId) ?? { deviceId, messages: 0, bytes: 0, delivered: 0 };
    removals.set(deviceId, { ...removal, messages: removal.messages + 1, bytes: removal.bytes + bytes });
  }
  for (const { deviceId, position, pushed } of asked) {
    const removal = removals.get(deviceId);
    if (removal !== undefined && pushed === true) removal.delivered = Math.max(removal.delivered, position);
  }
  return [...removals.values()].sort(byPlace);
}

function byPlace(a: { deviceId: string; position?: number }, b: { deviceId: string; position?: number }): number {
  if (a.deviceId !== b.deviceId) return a.deviceId < b.deviceId ? -1 : 1;
  return (a.position ?? 0) - (b.position ?? 0);
}
