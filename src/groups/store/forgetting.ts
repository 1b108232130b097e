// All that a device stores of one group. It may be much, so it is deleted page by page; a mark makes the next start go on after a crash.

import { decodeRecord } from "../encoding/records.js";
import { dropEvents } from "./event-queue.js";
import { forgetAllFiles } from "./kept-files.js";
import type { Ledger, Transaction } from "./ledger.js";
import { endPrefix, forgettingPrefix } from "./record-keys.js";

const single = ["group", "state", "outline", "pending", "receipt", "unaccepted", "chat", "local", "untold"];
/** Records of the group have its id, and a slash, behind these. */
const many = "past log dispute change request message index search effect effects-of delivery moved blob".split(" ");
const page = 500;

/** Commits the transaction several times. */
export async function forgetGroup(ledger: Ledger, transaction: Transaction, group: string): Promise<void> {
  transaction.set(forgettingPrefix + group, {});
  for (const kind of single) transaction.remove(`${kind}/${group}`);
  await dropEvents(transaction, (event) => "group" in event && event.group === group);
  await transaction.commit();
  await forgetAllFiles(transaction, group);
  for (const kind of many) {
    const prefix = `${kind}/${group}/`;
    for (;;) {
      const found = await ledger.store.list({ prefix, limit: page });
      for (const [key] of found) transaction.remove(key);
      await transaction.commit();
      if (found.length < page) break;
    }
  }
  await forgetEnds(ledger, transaction, group);
  transaction.remove(forgettingPrefix + group);
  transaction.event({ type: "forgotten", group });
  await transaction.commit();
}

async function forgetEnds(ledger: Ledger, transaction: Transaction, group: string): Promise<void> {
  for (let after: string | undefined = endPrefix; after !== undefined; ) {
    const found: [string, Uint8Array][] = await ledger.store.list({ prefix: endPrefix, after, limit: page });
    for (const [key, value] of found)
      if (decodeRecord<{ group: string }>(value).group === group) transaction.remove(key);
    await transaction.commit();
    after = found[page - 1]?.[0];
  }
}

/** Goes on with what a crash has interrupted. */
export async function forgetRest(ledger: Ledger): Promise<void> {
  for (const [key] of await ledger.store.list({ prefix: forgettingPrefix }))
    await ledger.inTurn((transaction) => forgetGroup(ledger, transaction, key.slice(forgettingPrefix.length)));
}
