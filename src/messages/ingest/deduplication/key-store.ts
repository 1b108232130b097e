import { joinHashes } from "../../../auth/keyed-hash.js";
import type { Db, Executor } from "../../../database/db.js";
import { CopyRows } from "../../../database/pipeline/copy.js";
import type { OpenPipeline } from "../../../database/pipeline/pipelines.js";
import { RelayError } from "../../../protocol/errors.js";
import { keyOfUuid, type MessageKey, uuidOfKey } from "./message-key.js";

// The statements of the two tables of keys. Keys are inserted in their order, so that concurrent flushes wait for each
// other in one direction only.

// The given keys, which are in order, as uuids.
const uuids = `
  select encode(substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), 'hex')::uuid as key
  from generate_series(1, :count::integer) as n`;

const insertByDay = `insert into message_keys (key) ${uuids} on conflict (key) do nothing`;

// The bounds exclude the partitions of other days.
const isGiven = "key = any(array(select g.key from given as g)) and key between :least::uuid and :greatest::uuid";

/** Stores the keys that are not yet stored and returns them. `keys` are in order and distinct. */
export async function insertKeysByDay(trx: Db, keys: readonly MessageKey[]): Promise<MessageKey[]> {
  return keysOf(await trx.rows(`${insertByDay} returning key`, joinHashes(keys)));
}

/** Stores the keys that are not yet stored and returns their number. */
export async function countNewKeysByDay(trx: Executor, keys: readonly MessageKey[]): Promise<number> {
  const row = await trx.one<{ count: number }>(
    `with inserted as (${insertByDay} returning 1) select count(*) as count from inserted`,
    joinHashes(keys),
  );
  return row?.count ?? 0;
}

/** Those of these keys that are stored. */
export async function findKeysByDay(db: Executor, keys: readonly MessageKey[]): Promise<MessageKey[]> {
  const sql = `with given as materialized (${uuids}) select key from message_keys where ${isGiven}`;
  return keysOf(await db.rows(sql, withBounds(keys)));
}

export async function deleteKeysByDay(trx: Executor, keys: readonly MessageKey[]): Promise<void> {
  await trx.run(`with given as materialized (${uuids}) delete from message_keys where ${isGiven}`, withBounds(keys));
}

function withBounds(keys: readonly MessageKey[]) {
  return { ...joinHashes(keys), least: uuidOfKey(keys[0] ?? ""), greatest: uuidOfKey(keys.at(-1) ?? "") };
}

export interface KeysWithExpiry {
  /** In order and distinct. */
  keys: readonly MessageKey[];
  /** In days since 1970. */
  expiresOn: number;
}

/** Stores the keys that are not yet stored and returns them. */
export async function insertKeysWithExpiry(trx: Executor, { keys, expiresOn }: KeysWithExpiry): Promise<MessageKey[]> {
  const inserted = await trx.rows<{ key: string }>(
    `insert into message_keys_with_expiry (key, expires_on)
     select key, :expiresOn::integer from unnest(:keys::uuid[]) as given (key)
     on conflict (key) do nothing
     returning key`,
    { keys: keys.map(uuidOfKey), expiresOn },
  );
  return keysOf(inserted);
}

/**
 * Stores keys by COPY; false if that failed and ended the transaction, most likely because one of them is already
 * stored. Rows of a COPY go to their machines at once; the statement above would use temporary files.
 */
export async function copyKeysWithExpiry(
  pipeline: OpenPipeline,
  { keys, expiresOn }: KeysWithExpiry,
): Promise<boolean> {
  const copied = new CopyRows();
  for (const key of keys) copied.row(2).bytes(Buffer.from(key, "latin1")).integer(expiresOn);
  try {
    await pipeline.copy("message_keys_with_expiry (key, expires_on)", copied);
    return true;
  } catch (error) {
    // Several machines may report the violation of the key with different errors.
    if (error instanceof RelayError) throw error;
    return false;
  }
}

/** Those of these keys that are stored. */
export async function findKeysWithExpiry(db: Executor, keys: readonly MessageKey[]): Promise<MessageKey[]> {
  const sql = "select key from message_keys_with_expiry where key = any(:keys::uuid[])";
  return keysOf(await db.rows(sql, { keys: keys.map(uuidOfKey) }));
}

export async function deleteKeysWithExpiry(trx: Executor, keys: readonly MessageKey[]): Promise<void> {
  const sql = "delete from message_keys_with_expiry where key = any(:keys::uuid[])";
  await trx.run(sql, { keys: keys.map(uuidOfKey) });
}

/** Deletes at most `limit` keys that expired before `today`, in days since 1970; returns how many. */
export async function deleteExpiredKeys(db: Db, { today, limit }: { today: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `-- every shard
     delete from message_keys_with_expiry
     where key = any(array(
       select key from message_keys_with_expiry
       where expires_on < :today::integer order by expires_on limit :limit::integer
     ))
     returning 1`,
    { today, limit },
  );
  return deleted.length;
}

function keysOf(found: readonly { key: string }[]): MessageKey[] {
  return found.map(({ key }) => keyOfUuid(key));
}
