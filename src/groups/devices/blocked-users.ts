// Whom a user has blocked. It is an entry of what they set for themself (local-state.ts), so all their devices have it.

import type { Transaction } from "../store/ledger.js";
import type { Entries } from "../store/records.js";
import { blockedName, isBlocking, setLocal, userPrefix, usersPrefix } from "./local-state.js";

/** On one device. */
const maxBlocked = 1_000;

/** Blocks a user, or takes that back. The other devices are still to be told. */
export async function setBlocked(
  transaction: Transaction,
  { user, isBlocked, nowMillis }: { user: string; isBlocked: boolean; nowMillis: number },
): Promise<void> {
  const { blocked } = transaction.people;
  if (blocked.has(user) === isBlocked) return;
  if (isBlocked && blocked.size >= maxBlocked) {
    // Another device may have been lost, and have blocked as many.
    const isSetHere = (entries: Entries) => isBlocking(entries) && entries[blockedName]?.toldAtMillis === undefined;
    const blocking = (await transaction.readAll(usersPrefix)).filter(([, entries]) => isSetHere(entries));
    if (blocking.length >= maxBlocked) throw new RangeError(`a user blocks at most ${maxBlocked} others on a device`);
  }
  const changes = { [blockedName]: isBlocked || undefined };
  await setLocal(transaction, { group: userPrefix + user, changes, nowMillis });
}
