// All that a device stores of one group. It may be much, so it is deleted page by page; a mark makes the next start go on after a crash.

import { dropEvents } from "./event-queue.js";
import { forgetAllFiles } from "./file-parts.js";
import type { Ledger, Transaction } from "./ledger.js";
import {
  changePrefix,
  chatPrefix,
  countsPrefix,
  deliveryPrefix,
  disputePrefix,
  effectsPrefix,
  endPrefix,
  forgettingPrefix,
  groupPrefix,
  indexPrefix,
  keyOf,
  localPrefix,
  logPrefix,
  messagePrefix,
  movedPrefix,
  outlinePrefix,
  owedPrefix,
  pastPrefix,
  pendingPrefix,
  picturePrefix,
  receiptsPrefix,
  requestPrefix,
  restOf,
  searchPrefix,
  sentFilePrefix,
  statePrefix,
  unacceptedPrefix,
  untoldPrefix,
} from "./record-keys.js";
import type { EndOf } from "./records.js";

/** Of these, a group has one record each. */
const single = [
  groupPrefix,
  statePrefix,
  outlinePrefix,
  pendingPrefix,
  receiptsPrefix,
  unacceptedPrefix,
  chatPrefix,
  localPrefix,
  untoldPrefix,
  owedPrefix,
];
/** Of these, it may have many. */
const many = [
  pastPrefix,
  logPrefix,
  disputePrefix,
  changePrefix,
  requestPrefix,
  messagePrefix,
  indexPrefix,
  searchPrefix,
  effectsPrefix,
  countsPrefix,
  deliveryPrefix,
  movedPrefix,
  sentFilePrefix,
  picturePrefix,
];
const page = 500;

/** Commits the transaction several times. */
export async function forgetGroup(ledger: Ledger, transaction: Transaction, group: string): Promise<void> {
  transaction.set(keyOf(forgettingPrefix, group), {});
  for (const prefix of single) transaction.remove(prefix + group);
  await dropEvents(transaction, (event) => "group" in event && event.group === group);
  await transaction.commit();
  await forgetAllFiles(transaction, group);
  for (const kind of many) {
    const prefix = `${kind}${group}/`;
    for (;;) {
      const found = await ledger.store.list({ prefix, limit: page });
      for (const [key] of found) transaction.remove(key);
      await transaction.commit();
      if (found.length < page) break;
    }
  }
  await forgetEnds(ledger, transaction, group);
  transaction.remove(keyOf(forgettingPrefix, group));
  transaction.event({ type: "forgotten", group });
  await transaction.commit();
}

async function forgetEnds(ledger: Ledger, transaction: Transaction, group: string): Promise<void> {
  for (let after: string | undefined = endPrefix; after !== undefined; ) {
    const found: [string, EndOf][] = await ledger.readAll(endPrefix, { after, limit: page });
    for (const [key, end] of found) if (end.group === group) transaction.remove(key);
    await transaction.commit();
    after = found[page - 1]?.[0];
  }
}

/** Goes on with what a crash has interrupted. */
export async function forgetRest(ledger: Ledger): Promise<void> {
  for (const [key] of await ledger.store.list({ prefix: forgettingPrefix }))
    await ledger.inTurn((transaction) => forgetGroup(ledger, transaction, restOf(key, forgettingPrefix)));
}
