import { type Db, rows } from "../platform/database/connection.js";

// The bytes that packages without an uploader take, all together: one row, whose lock is taken last by whoever adds, uses
// up or removes one, and held until the transaction ends. So the sum is exact, over all nodes.

/** Charges bytes; false where they would go beyond the limit. */
export async function charge(db: Db, { bytes, limit }: { bytes: number; limit: number }): Promise<boolean> {
  const charged = await rows(
    db,
    `update info_package_balance set anonymous_bytes = anonymous_bytes + :bytes::bigint
     where anonymous_bytes + :bytes::bigint <= :limit::bigint
     returning 1`,
    { bytes, limit },
  );
  return charged.length > 0;
}

/**
 * What follows a statement that is named `gone` and returns what it frees as `freed`: takes that off the balance, and gives
 * the columns of those rows.
 */
export function takenOffBalance(columns: string): string {
  return `, balanced as (
       update info_package_balance set anonymous_bytes = anonymous_bytes - sums.freed
       from (select sum(freed) as freed from gone) as sums
       where sums.freed > 0
     )
     select ${columns} from gone`;
}

/** Keeps all from changing the balance until the transaction ends. */
export async function lockBalance(db: Db): Promise<void> {
  await rows(db, "select 1 from info_package_balance for update");
}

/** Counts anew; the caller has locked the balance in a statement before this one. */
export async function recountBalance(db: Db): Promise<void> {
  await rows(
    db,
    `update info_package_balance
     set anonymous_bytes = (select coalesce(sum(charged_bytes), 0) from info_packages where charged_bytes > 0)`,
  );
}
