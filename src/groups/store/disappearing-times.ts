// When messages disappear, in the order of their ends. Each message has the end that its epoch has given it, whatever the group says later.

import type { Ledger, Transaction } from "./ledger.js";
import { endPrefix, idKey, inGroup, keyOf, numbered } from "./record-keys.js";
import type { EndOf } from "./records.js";

const digits = 16;

const timeOf = (millis: number) => String(Math.ceil(millis)).padStart(digits, "0");

/** A message disappears at the same time for all members: they count from when the relay has taken it. */
export function endOf(receivedAtMillis: number, disappearSeconds: number | undefined, nowMillis: number) {
  if (disappearSeconds === undefined) return undefined;
  const atMillis = receivedAtMillis + 1000 * disappearSeconds;
  return { atMillis, isOver: atMillis <= nowMillis };
}

export function noteEnd(transaction: Transaction, end: EndOf): void {
  transaction.set(numbered(inGroup(inGroup(endPrefix, timeOf(end.atMillis)), idKey(end.group)), end.seq), end);
}

/** At most so many ends that have come, with their keys. */
export async function endsUntil(ledger: Ledger, millis: number, limit: number): Promise<[key: string, EndOf][]> {
  return ledger.readAll(endPrefix, { before: keyOf(endPrefix, timeOf(millis + 1)), limit });
}

export async function nextEnd(ledger: Ledger): Promise<number | undefined> {
  const [first] = await ledger.readAll(endPrefix, { limit: 1 });
  return first?.[1].atMillis;
}
