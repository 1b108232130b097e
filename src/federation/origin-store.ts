import { type Db, rows } from "../platform/database/connection.js";

const keyBytes = 32;

/** The hosts that messages with these keys came from. */
export async function readOrigins(db: Db, keys: readonly Buffer[]): Promise<string[]> {
  const sql = `
    select distinct host from federation_origins
    where key = any(array(
      select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
      from generate_series(1, :count::integer) as n))
    order by host`;
  return (await rows<{ host: string }>(db, sql, { ...joinKeys(keys) })).map(({ host }) => host);
}

/** Deletes some of what has expired; answers how many. */
export async function deleteExpiredOrigins(
  db: Db,
  { today, limit }: { today: number; limit: number },
): Promise<number> {
  const sql = `
    delete from federation_origins
    where (key, host) in (
      select key, host from federation_origins where expires_on < :today::integer limit :limit::integer)
    returning 1`;
  return (await rows(db, sql, { today, limit })).length;
}

/** Keys of 32 bytes as one value. */
export interface JoinedKeys {
  keys: Buffer;
  keyBytes: number;
  count: number;
}

/** Sorted, so that two transactions that insert the same keys wait for each other instead of both. */
export function joinKeys(keys: readonly Buffer[]): JoinedKeys {
  return { keys: Buffer.concat([...keys].sort(Buffer.compare)), keyBytes, count: keys.length };
}
