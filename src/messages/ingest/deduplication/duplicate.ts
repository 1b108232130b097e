import type { Db, Executor } from "../../../database/db.js";
import { type OpenPipeline, together } from "../../../database/pipeline/pipelines.js";
import {
  copyKeysWithExpiry,
  countNewKeysByDay,
  deleteKeysByDay,
  deleteKeysWithExpiry,
  findKeysByDay,
  findKeysWithExpiry,
  insertKeysByDay,
  insertKeysWithExpiry,
  type KeysWithExpiry,
} from "./key-store.js";
import { type KeyRules, tablesOf } from "./key-tables.js";
import type { MessageKey } from "./message-key.js";

// A message is a duplicate if its sender has sent a message with the same id to the same address within the retention
// period (`server.max_retention_days`, 30 days). It is not stored again, the sender gets the answer for a stored
// message, and it counts as a miss. The message's key decides which messages are the same (message-key.ts): a message
// whose key is already stored is a duplicate.

/** Stores keys that should all be new. Returns false if one is already stored; the transaction may then have ended. */
export async function storeNewKeys(
  pipeline: OpenPipeline,
  keys: readonly MessageKey[],
  rules: KeyRules,
): Promise<boolean> {
  const { byDay, withExpiry } = tablesOf(keys, rules);
  if (!rules.hasPartitions) {
    return withExpiry.length === 0 || copyKeysWithExpiry(pipeline, expiring(withExpiry, rules));
  }
  const [inserted, insertedWithExpiry] = await together([
    byDay.length === 0 ? Promise.resolve(0) : countNewKeysByDay(pipeline, byDay),
    withExpiry.length === 0 ? Promise.resolve([]) : insertKeysWithExpiry(pipeline, expiring(withExpiry, rules)),
  ]);
  return inserted === byDay.length && insertedWithExpiry.length === withExpiry.length;
}

/** Stores the keys that are not yet stored and returns them; the others belong to duplicates. */
export async function storeKeys(trx: Db, keys: readonly MessageKey[], rules: KeyRules): Promise<Set<MessageKey>> {
  const { byDay } = tablesOf(keys, rules);
  const fresh = new Set(keys);
  for (const key of without(byDay, byDay.length === 0 ? [] : await insertKeysByDay(trx, byDay))) fresh.delete(key);
  // A key that a partition has must not also get an expiry: it would be recognised for longer than the retention
  // period.
  const { withExpiry } = tablesOf(fresh, rules);
  if (withExpiry.length === 0) return fresh;
  const inserted = await insertKeysWithExpiry(trx, expiring(withExpiry, rules));
  for (const key of without(withExpiry, inserted)) fresh.delete(key);
  return fresh;
}

/** Removes the keys of messages that were refused after all. */
export async function removeKeys(db: Executor, keys: readonly MessageKey[], rules: KeyRules): Promise<void> {
  const { byDay, withExpiry } = tablesOf(keys, rules);
  await together([
    byDay.length === 0 ? Promise.resolve() : deleteKeysByDay(db, byDay),
    withExpiry.length === 0 ? Promise.resolve() : deleteKeysWithExpiry(db, withExpiry),
  ]);
}

/** Returns those of these keys that are stored: messages with these keys are duplicates. */
export async function findDuplicates(
  db: Executor,
  keys: readonly MessageKey[],
  rules: KeyRules,
): Promise<Set<MessageKey>> {
  const { byDay, withExpiry } = tablesOf(keys, rules);
  const found = await Promise.all([
    byDay.length === 0 ? [] : findKeysByDay(db, byDay),
    withExpiry.length === 0 ? [] : findKeysWithExpiry(db, withExpiry),
  ]);
  return new Set(found.flat());
}

function expiring(keys: readonly MessageKey[], { today, retentionDays }: KeyRules): KeysWithExpiry {
  return { keys, expiresOn: today + retentionDays };
}

function without(all: readonly MessageKey[], some: readonly MessageKey[]): Set<MessageKey> {
  const rest = new Set(all);
  for (const one of some) rest.delete(one);
  return rest;
}
