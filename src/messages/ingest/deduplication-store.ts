import type { Knex } from "knex";
import { joinHashes } from "../../platform/auth/keyed-hash.js";
import { type Db, inTransaction, type Pipeline, rows } from "../../platform/database/connection.js";
import { CopyRows } from "../../platform/database/copy.js";
import { isDistributed } from "../../platform/database/distribute.js";
import type { OpenPipeline } from "../../platform/database/pipelines.js";
import { RelayError } from "../../protocol/errors.js";
import type { EarlierForms } from "./key-rules.js";

// Keys are inserted in their order, so that flushes that run at once wait for each other in one direction only.

// The given keys, which are in order and have 16 bytes each, as uuids.
const uuids = `
  select encode(substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), 'hex')::uuid as key
  from generate_series(1, :count::integer) as n`;

const insertInOrder = `insert into message_keys (key) ${uuids} on conflict (key) do nothing`;

// The bounds spare the partitions of other days.
const isGiven = "key = any(array(select g.key from given as g)) and key between :least::uuid and :greatest::uuid";

/** Stores the keys that are not there yet and returns these. `keys` are in order and distinct, one character per byte. */
export async function insertKeys(trx: Db, keys: readonly string[]): Promise<string[]> {
  const inserted = await rows<{ key: string }>(trx, `${insertInOrder} returning key`, joinHashes(keys));
  return inserted.map(keyOfUuid);
}

/** Stores the keys that are not there yet and returns their number. */
export async function countNewKeys(trx: Db | Pipeline, keys: readonly string[]): Promise<number> {
  const [row] = await rows<{ count: number }>(
    trx,
    `with inserted as (${insertInOrder} returning 1) select count(*) as count from inserted`,
    joinHashes(keys),
  );
  return row?.count ?? 0;
}

/** Those of these keys that are stored. */
export async function findKeys(db: Db | Pipeline, keys: readonly string[]): Promise<string[]> {
  const found = await rows<{ key: string }>(
    db,
    `with given as materialized (${uuids}) select key from message_keys where ${isGiven}`,
    withBounds(keys),
  );
  return found.map(keyOfUuid);
}

/** Removes the keys of messages that were refused after all. */
export async function deleteKeys(trx: Db | Pipeline, keys: readonly string[]): Promise<void> {
  await rows(trx, `with given as materialized (${uuids}) delete from message_keys where ${isGiven}`, withBounds(keys));
}

function withBounds(keys: readonly string[]) {
  const sorted = [...keys].sort();
  return { ...joinHashes(keys), least: uuidOfKey(sorted[0]), greatest: uuidOfKey(sorted.at(-1)) };
}

function uuidOfKey(key = ""): string {
  return Buffer.from(key, "latin1").toString("hex");
}

function keyOfUuid({ key }: { key: string }): string {
  return Buffer.from(key.replaceAll("-", ""), "hex").toString("latin1");
}

// The keys that the partitions cannot hold, each with the day of its expiry. They have 14, 16 or 32 bytes.

export interface KeysApart {
  keys: readonly string[];
  /** In days since 1970. */
  expiresOn: number;
}

/** Stores the keys that are not there yet and returns these. `keys` are in order and distinct, one character per byte. */
export async function insertKeysApart(trx: Db | Pipeline, { keys, expiresOn }: KeysApart): Promise<string[]> {
  const inserted = await rows<{ key: Buffer }>(
    trx,
    `insert into deduplication (key, expires_on)
     select key, :expiresOn::integer from unnest(:keys::bytea[]) as given (key)
     on conflict (key) do nothing
     returning key`,
    { keys: buffersOf(keys), expiresOn },
  );
  return inserted.map(keyOfBytes);
}

/**
 * Stores keys by COPY; false if that failed, most likely because one of them is there already, and ended the transaction.
 * A distributed database, which would run the statement above through temporary files, hands the rows of a COPY to their
 * machines.
 */
export async function copyNewKeys(pipeline: OpenPipeline, { keys, expiresOn }: KeysApart): Promise<boolean> {
  const copied = new CopyRows();
  for (const key of keys) copied.row(2).bytes(Buffer.from(key, "latin1")).integer(expiresOn);
  try {
    await pipeline.copy("deduplication (key, expires_on)", copied);
    return true;
  } catch (error) {
    // A distributed database may report the violation of the key as an error of its own.
    if (error instanceof RelayError) throw error;
    return false;
  }
}

/** Those of these keys that are stored. */
export async function findKeysApart(db: Db | Pipeline, keys: readonly string[]): Promise<string[]> {
  const found = await rows<{ key: Buffer }>(db, "select key from deduplication where key = any(:keys::bytea[])", {
    keys: buffersOf(keys),
  });
  return found.map(keyOfBytes);
}

/** Removes the keys of messages that were refused after all. */
export async function deleteKeysApart(trx: Db | Pipeline, keys: readonly string[]): Promise<void> {
  await rows(trx, "delete from deduplication where key = any(:keys::bytea[])", { keys: buffersOf(keys) });
}

/** Deletes at most `limit` keys that expired before `today`, in days since 1970; returns how many. */
export async function deleteExpiredKeys(db: Db, { today, limit }: { today: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `-- every shard
     delete from deduplication
     where key = any(array(
       select key from deduplication where expires_on < :today::integer order by expires_on limit :limit::integer
     ))
     returning 1`,
    { today, limit },
  );
  return deleted.length;
}

/** Of a key that a distributed database placed, and of the form in which it is found on another one. */
const [placedBytes, placelessBytes] = [32, 14];

/**
 * Has the keys of a distributed database recognised on this one, if it is not distributed itself: adds their form without
 * the chosen byte, and records until when it is to be looked for. Run twice, it changes nothing. No relay may be running.
 */
export async function gatherPlacedKeys(db: Knex): Promise<void> {
  if (await isDistributed(db)) return;
  await inTransaction(db, async (trx) => {
    await rows(
      trx,
      `-- every shard
       insert into deduplication (key, expires_on)
       select substring(key from 1 for 2) || substring(key from 5 for 12) as placeless, max(expires_on)
       from deduplication where length(key) = :placedBytes::integer
       group by placeless
       on conflict (key) do nothing`,
      { placedBytes },
    );
    await recordKeptUntil(trx, { column: "placeless_kept_until", bytes: placelessBytes });
  });
}

/** Records until when the keys of so many bytes are looked for: until the last of them has expired. */
export async function recordKeptUntil(
  trx: Db,
  { column, bytes }: { column: "moved_kept_until" | "placeless_kept_until"; bytes: number },
): Promise<void> {
  await rows(
    trx,
    `insert into earlier_hashes (written_until, kept_until, ${column})
     select 0, 0, k.last
     from (
       -- every shard
       select max(expires_on) as last from deduplication where length(key) = :bytes::integer
     ) as k
     where k.last is not null
     on conflict (one) do update set ${column} = excluded.${column}`,
    { bytes },
  );
}

function buffersOf(keys: readonly string[]): Buffer[] {
  return keys.map((key) => Buffer.from(key, "latin1"));
}

function keyOfBytes({ key }: { key: Buffer }): string {
  return key.toString("latin1");
}

/** The days until which an upgrade or the distribution of this database keeps keys in earlier forms. */
export async function readEarlierFormDays(db: Db): Promise<EarlierForms | undefined> {
  const [row] = await rows<EarlierForms>(
    db,
    `select json_build_object('writtenUntil', long_written_until, 'keptUntil', long_kept_until) as long,
            json_build_object('writtenUntil', written_until, 'keptUntil', kept_until) as dayless,
            moved_kept_until as "movedKeptUntil", placeless_kept_until as "placelessKeptUntil"
     from earlier_hashes`,
  );
  return row;
}
