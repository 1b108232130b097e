// When messages disappear, in the order of their ends. Each message has the end that its epoch has given it, whatever the group says later.

import { decodeRecord } from "../encoding/records.js";
import type { Ledger, Transaction } from "./ledger.js";
import { endPrefix, idKey, numbered } from "./record-keys.js";

interface EndOf {
  group: string;
  seq: number;
  atMillis: number;
}

const digits = 16;

const timeKey = (millis: number) => endPrefix + String(Math.ceil(millis)).padStart(digits, "0");

export function noteEnd(transaction: Transaction, end: EndOf): void {
  transaction.set(numbered(`${timeKey(end.atMillis)}/${idKey(end.group)}/`, end.seq), end);
}

/** At most so many ends that have come, with their keys. */
export async function endsUntil(ledger: Ledger, millis: number, limit: number): Promise<[key: string, EndOf][]> {
  const found = await ledger.store.list({ prefix: endPrefix, before: timeKey(millis + 1), limit });
  return found.map(([key, value]) => [key, decodeRecord<EndOf>(value)]);
}

export async function nextEnd(ledger: Ledger): Promise<number | undefined> {
  const [first] = await ledger.store.list({ prefix: endPrefix, limit: 1 });
  return first && decodeRecord<EndOf>(first[1]).atMillis;
}
