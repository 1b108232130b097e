import type { Database, Db, Transaction } from "../database/db.js";
import { hasTableSql } from "../database/suitable-database.js";

/** A value in the database that is encrypted under the master key. */
export interface SealedRow {
  table: "secrets" | "signing_keys" | "daily_keys";
  id: string;
  /** The purpose that it was sealed for; see secrets.ts, signing-keys.ts and ip-hash.ts. */
  purpose: string;
  sealed: Buffer;
}

/** Whether the tables exist: before the first start they do not. */
export async function hasSealedRows(db: Db): Promise<boolean> {
  const found = await db.one<{ present: boolean }>(
    `select ${hasTableSql("'secrets'")} and ${hasTableSql("'signing_keys'")} and ${hasTableSql("'daily_keys'")} as present`,
  );
  return found?.present === true;
}

/** SQL: everything that is sealed. There are a few rows of each kind. */
export const sealedRows = `
  select 'secrets' as table, name as id, 'secret ' || name as purpose, sealed from secrets
  union all
  select 'signing_keys', kid, 'signing key ' || kid, sealed_private from signing_keys
  union all
  select 'daily_keys', day::text, 'daily key ' || day, sealed from daily_keys`;

export async function readSealedRows(db: Db): Promise<SealedRow[]> {
  return db.rows<SealedRow>(sealedRows);
}

const updates: Readonly<Record<SealedRow["table"], string>> = {
  secrets: "update secrets set sealed = :sealed::bytea where name = :id::text",
  signing_keys: "update signing_keys set sealed_private = :sealed::bytea where kid = :id::text",
  daily_keys: "update daily_keys set sealed = :sealed::bytea where day = :id::text::integer",
};

export async function updateSealedRow(db: Db, { table, id, sealed }: SealedRow): Promise<void> {
  await db.run(updates[table], { id, sealed });
}

/** Runs `work` while no other process adds or changes sealed rows. */
export function withSealedRowsLocked<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.run("lock table secrets, signing_keys, daily_keys in share row exclusive mode");
    return work(trx);
  });
}
