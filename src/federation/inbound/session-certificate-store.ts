import { inBoundedSteps } from "../../platform/database/bounded-steps.js";
import { type Db, rows } from "../../platform/database/connection.js";

/** Peers with the same certificate share a row, which stays until the last of their tokens has expired. */
export async function insertSessionChain(
  db: Db,
  kept: { id: string; chain: Buffer; expiresAt: number },
): Promise<void> {
  await rows(
    db,
    `insert into federation_session_chains (id, chain, expires_at)
     values (decode(:id::text, 'hex'), :chain::bytea, :expiresAt::bigint)
     on conflict (id) do update
     set expires_at = greatest(federation_session_chains.expires_at, excluded.expires_at)`,
    kept,
  );
}

export async function readSessionChain(db: Db, id: string): Promise<Buffer | undefined> {
  const sql = "select chain from federation_session_chains where id = decode(:id::text, 'hex')";
  const [row] = await rows<{ chain: Buffer }>(db, sql, { id });
  return row?.chain;
}

const rowsPerStep = 1000;

export async function deleteExpiredChains(db: Db, now: number): Promise<void> {
  const sql = `
    delete from federation_session_chains as c
    using (
      select id from federation_session_chains
      where expires_at <= :now::bigint order by expires_at limit :limit::integer
    ) as expired
    where c.id = expired.id and c.expires_at <= :now::bigint
    returning 1`;
  await inBoundedSteps(rowsPerStep, async (limit) => (await rows(db, sql, { now, limit })).length);
}
