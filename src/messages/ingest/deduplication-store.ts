import { joinHashes } from "../../platform/auth/keyed-hash.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import { CopyRows } from "../../platform/database/copy.js";
import type { OpenPipeline } from "../../platform/database/pipelines.js";
import { RelayError } from "../../protocol/errors.js";

// Keys are inserted in their order, so that flushes that run at once wait for each other in one direction only.

function keyText({ key }: { key: Buffer }): string {
  return key.toString("latin1");
}

/** Stores the keys that are not there yet and returns these. `keys` are in order and distinct, one character per byte. */
export async function insertKeys(
  trx: Db,
  { keys, expiresOn }: { keys: readonly string[]; expiresOn: number },
): Promise<string[]> {
  const inserted = await rows<{ key: Buffer }>(
    trx,
    `insert into deduplication (key, expires_on)
     select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :expiresOn::integer
     from generate_series(1, :count::integer) as n
     on conflict (key) do nothing
     returning key`,
    { ...joinHashes(keys), expiresOn },
  );
  return inserted.map(keyText);
}

/** Stores the keys that are not there yet and returns their number. */
export async function countNewKeys(
  trx: Db | Pipeline,
  { keys, expiresOn }: { keys: readonly string[]; expiresOn: number },
): Promise<number> {
  const [row] = await rows<{ count: number }>(
    trx,
    `with inserted as (
       insert into deduplication (key, expires_on)
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :expiresOn::integer
       from generate_series(1, :count::integer) as n
       on conflict (key) do nothing
       returning 1
     )
     select count(*) as count from inserted`,
    { ...joinHashes(keys), expiresOn },
  );
  return row?.count ?? 0;
}

/**
 * Stores keys by COPY; false if that failed, most likely because one of them is there already, and ended the transaction. A distributed database, which
 * would run the statements above through temporary files, hands the rows of a COPY to their machines.
 */
export async function copyNewKeys(
  pipeline: OpenPipeline,
  { keys, expiresOn }: { keys: readonly string[]; expiresOn: number },
): Promise<boolean> {
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
export async function findKeys(db: Db | Pipeline, keys: readonly string[]): Promise<string[]> {
  const found = await rows<{ key: Buffer }>(
    db,
    `select key from deduplication
     where key = any(array(
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
       from generate_series(1, :count::integer) as n))`,
    joinHashes(keys),
  );
  return found.map(keyText);
}

/** Removes the keys of messages that were refused after all. */
export async function deleteKeys(trx: Db | Pipeline, keys: readonly string[]): Promise<void> {
  await rows(
    trx,
    `-- every shard
     delete from deduplication
     where key = any(array(
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
       from generate_series(1, :count::integer) as n))`,
    joinHashes(keys),
  );
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

/** The days, since 1970, until which an upgrade of this database keeps earlier keys; undefined where it needs none. */
export async function readEarlierKeyDays(db: Db): Promise<{ written_until: number; kept_until: number } | undefined> {
  const [row] = await rows<{ written_until: number; kept_until: number }>(
    db,
    "select written_until, kept_until from earlier_hashes",
  );
  return row;
}
