import { joinHashes } from "../../platform/auth/keyed-hash.js";
import { type Db, rows } from "../../platform/database/connection.js";

/** The hosts that messages with these keys came from. */
export async function readOrigins(db: Db, keys: readonly string[]): Promise<string[]> {
  const sql = `
    select distinct host from federation_origins
    where key = any(array(
      select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
      from generate_series(1, :count::integer) as n))
    order by host`;
  return (await rows<{ host: string }>(db, sql, joinHashes(keys))).map(({ host }) => host);
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
