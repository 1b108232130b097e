import type { Db } from "../platform/database/connection.js";
import { keepArrayOrder } from "./intake-store.js";
import { deletePlaces, type Place, type Removal, subtractFromQueues } from "./queue-store.js";

/** A row to remove; `pushed` says that a stream handed out everything up to it. */
export interface Leaving extends Place {
  pushed?: boolean;
}

/**
 * Removes rows from queues and adjusts the queues' counters, in the caller's transaction. Returns the rows that were
 * there. Both statements go through devices in one order, as the intake does.
 */
export async function removeFromQueues(trx: Db, places: readonly Leaving[]): Promise<Place[]> {
  const inOrder = [...places].sort(byPlace);
  await keepArrayOrder(trx);
  const removed = await deletePlaces(trx, inOrder);
  const removals = new Map<string, Removal>();
  for (const { deviceId, bytes } of removed) {
    const removal = removals.get(deviceId) ?? { deviceId, messages: 0, bytes: 0, handedOut: 0 };
    removals.set(deviceId, { ...removal, messages: removal.messages + 1, bytes: removal.bytes + bytes });
  }
  for (const { deviceId, position, pushed } of inOrder) {
    const removal = removals.get(deviceId);
    if (removal !== undefined && pushed === true) removal.handedOut = Math.max(removal.handedOut, position);
  }
  if (removals.size > 0) await subtractFromQueues(trx, [...removals.values()].sort(byPlace));
  return removed;
}

function byPlace(a: { deviceId: string; position?: number }, b: { deviceId: string; position?: number }): number {
  if (a.deviceId !== b.deviceId) return a.deviceId < b.deviceId ? -1 : 1;
  return (a.position ?? 0) - (b.position ?? 0);
}
