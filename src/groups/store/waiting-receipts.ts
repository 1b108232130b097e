// Receipts that the members of a group are still to be told for good.

import { maxTargets } from "../../client/messages/svc-messages.js";
import type { Transaction } from "./ledger.js";
import { keyOf, receiptsPrefix } from "./record-keys.js";
import type { Told } from "./records.js";

/** Of one group. The newest are kept. */
const maxKept = 500;

export async function keepReceipts(
  transaction: Transaction,
  group: string,
  { ids, status }: { ids: readonly string[]; status: keyof Told },
): Promise<void> {
  const { delivered = [], read = [] } = (await transaction.read(keyOf(receiptsPrefix, group))) ?? {};
  const without = (kept: readonly string[]) => kept.filter((id) => !ids.includes(id));
  const next = { delivered: without(delivered), read: without(read) };
  next[status] = [...next[status], ...ids].slice(-maxKept);
  transaction.set(keyOf(receiptsPrefix, group), next);
}

/** Removes from the store what one message can tell. The message is stored in the same transaction. */
export async function takeReceipts(transaction: Transaction, group: string): Promise<Told> {
  const stored = await transaction.read(keyOf(receiptsPrefix, group));
  if (stored === undefined) return {};
  const [delivered, read] = [stored.delivered.slice(0, maxTargets), stored.read.slice(0, maxTargets)];
  const rest = { delivered: stored.delivered.slice(maxTargets), read: stored.read.slice(maxTargets) };
  if (rest.delivered.length + rest.read.length > 0) transaction.set(keyOf(receiptsPrefix, group), rest);
  else transaction.remove(keyOf(receiptsPrefix, group));
  return { ...(delivered.length > 0 && { delivered }), ...(read.length > 0 && { read }) };
}
