// Receipts that the members of a group are still to be told for good.

import type { Transaction } from "./ledger.js";

/** Ids of messages. */
export interface Told {
  delivered?: string[];
  read?: string[];
}

export const receiptsPrefix = "receipt/";
/** Of one group. The newest are kept. */
const maxKept = 500;

export async function keepReceipts(
  transaction: Transaction,
  group: string,
  { ids, status }: { ids: readonly string[]; status: keyof Told },
): Promise<void> {
  const { delivered = [], read = [] } = (await transaction.read<Told>(receiptsPrefix + group)) ?? {};
  const without = (kept: readonly string[]) => kept.filter((id) => !ids.includes(id));
  const next = { delivered: without(delivered), read: without(read) };
  next[status] = [...next[status], ...ids].slice(-maxKept);
  transaction.set(receiptsPrefix + group, next);
}

/** Takes pending events out of the store: the message that goes with it is stored in the same transaction. */
export async function takeReceipts(transaction: Transaction, group: string): Promise<Told> {
  const stored = await transaction.read<Required<Told>>(receiptsPrefix + group);
  if (stored === undefined) return {};
  transaction.remove(receiptsPrefix + group);
  const { delivered, read } = stored;
  return { ...(delivered.length > 0 && { delivered }), ...(read.length > 0 && { read }) };
}
