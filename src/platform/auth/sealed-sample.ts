import { type Db, rows } from "../database/connection.js";

/** A value in the database that the master key sealed. */
export interface SealedSample {
  purpose: string;
  sealed: Buffer;
}

/** The signing key is preferred, since every start opens it. */
export const sealedSampleSql = `
  select purpose, sealed from (
    select 'signing key ' || kid as purpose, sealed_private as sealed,
           (retired_at is null and revoked_at is null)::integer as rank
    from signing_keys
    union all
    select 'secret ' || name, sealed, -1 from secrets
  ) as found
  order by rank desc limit 1`;

/** Undefined where nothing is sealed yet. */
export async function readSealedSample(db: Db): Promise<SealedSample | undefined> {
  const [tables] = await rows<{ present: boolean }>(
    db,
    "select to_regclass('signing_keys') is not null and to_regclass('secrets') is not null as present",
  );
  if (!tables?.present) return undefined;
  const [found] = await rows<SealedSample>(db, sealedSampleSql);
  return found;
}
