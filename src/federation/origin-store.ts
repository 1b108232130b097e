import { type Db, rows } from "../platform/database/connection.js";

const keyBytes = 32;

/** Notes from which host messages came, one key of 32 bytes each. */
export async function insertOrigins(
  db: Db,
  delivered: { keys: readonly Buffer[]; host: string; expiresOn: number },
): Promise<void> {
  await rows(
    db,
    `insert into federation_origins (key, host, expires_on)
     select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :host::text,
            :expiresOn::integer
     from generate_series(1, :count::integer) as n
     on conflict (key, host) do nothing`,
    { ...delivered, ...joined(delivered.keys) },
  );
}

/** The hosts that messages with these keys came from. */
export async function readOrigins(db: Db, keys: readonly Buffer[]): Promise<string[]> {
  const sql = `
    select distinct host from federation_origins
    where key = any(array(
      select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
      from generate_series(1, :count::integer) as n))
    order by host`;
  return (await rows<{ host: string }>(db, sql, joined(keys))).map(({ host }) => host);
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

/** Sorted, so that two transactions that insert the same keys wait for each other instead of both. */
function joined(keys: readonly Buffer[]) {
  return { keys: Buffer.concat([...keys].sort(Buffer.compare)), keyBytes, count: keys.length };
}
