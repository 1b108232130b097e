import type { Database } from "../database/db.js";
import type { Clock } from "./clock.js";

/** A column with times at which something begins or ends, and how far they are ahead when they are written. */
export interface DueTimes {
  table: string;
  column: string;
  unit: "seconds" | "millis";
  longestSeconds: number;
  /** Becomes as late as may be instead of the present time, so that a ban is cut and not lifted. */
  isCut?: true;
}

/**
 * A clock that was ahead leaves times that nothing would reach for years: deliveries, notices, bans and limits would wait as long.
 * A time that is further ahead than it can have been written by this clock becomes the present one.
 */
export async function bringBackDueTimes(
  db: Database,
  columns: readonly DueTimes[],
  clock: Pick<Clock, "nowSeconds">,
): Promise<void> {
  for (const { table, column, unit, longestSeconds, isCut } of columns) {
    const factor = unit === "millis" ? 1000 : 1;
    // The clock is read after the times, so that one that is written meanwhile is not taken for one that is too far ahead.
    const sql = `-- every shard\n select max(${column}) as furthest from ${table}`;
    const furthest = (await db.one<{ furthest: number | null }>(sql))?.furthest ?? 0;
    const now = clock.nowSeconds();
    const latest = (now + longestSeconds) * factor;
    if (furthest <= latest) continue;
    await db.run(
      `-- every shard\n update ${table} set ${column} = :due::bigint
       where ${column} > :latest::bigint and ${column} <= :furthest::bigint`,
      { due: isCut ? latest : now * factor, latest, furthest },
    );
  }
}
