import type { Database } from "../database/db.js";

/** A column with times at which something begins or ends, and how far they are ahead when they are written. */
export interface DueTimes {
  table: string;
  column: string;
  unit: "seconds" | "millis";
  longestSeconds: number;
}

/**
 * A clock that was ahead leaves times that nothing would reach for years: deliveries, notices, bans and limits would wait as long.
 * A time that is further ahead than it can have been written by this clock becomes the present one.
 */
export async function bringBackDueTimes(db: Database, columns: readonly DueTimes[], nowSeconds: number): Promise<void> {
  for (const { table, column, unit, longestSeconds } of columns) {
    const factor = unit === "millis" ? 1000 : 1;
    await db.run(`-- every shard\n update ${table} set ${column} = :now::bigint where ${column} > :latest::bigint`, {
      now: nowSeconds * factor,
      latest: (nowSeconds + longestSeconds) * factor,
    });
  }
}
