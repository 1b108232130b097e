// Whom a user has blocked. It is an entry of what they set for themself (local-state.ts), so all their devices have it.

import type { Transaction } from "../store/ledger.js";
import { blockedName, setLocal, userPrefix } from "./local-state.js";

/** Blocks a user, or takes that back. The other devices are still to be told. Throws a RangeError if this device has blocked 1,000 others. */
export async function setBlocked(
  transaction: Transaction,
  { user, isBlocked, nowMillis }: { user: string; isBlocked: boolean; nowMillis: number },
): Promise<void> {
  if (transaction.people.blocked.has(user) === isBlocked) return;
  const changes = { [blockedName]: isBlocked || undefined };
  await setLocal(transaction, { group: userPrefix + user, changes, nowMillis });
}
