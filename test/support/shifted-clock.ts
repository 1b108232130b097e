import type { TestDatabase } from "./database.js";

/** A database whose clock a test moves, for connections opened from now on. */
export interface ShiftedClock {
  /** How far it is ahead; negative if it is behind. */
  shift(seconds: number): Promise<void>;
}

/** PostgreSQL finds the test's `clock_timestamp` before its own. */
export async function shiftClock({ db, url }: TestDatabase): Promise<ShiftedClock> {
  const name = new URL(url).pathname.slice(1);
  await db.run(`
    create schema clocks;
    create table clocks.shift (seconds double precision not null);
    insert into clocks.shift values (0);
    create function clocks.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + make_interval(secs => (select seconds from clocks.shift))';
    alter database ${name} set search_path = public, clocks, pg_catalog`);
  return { shift: async (seconds) => void (await db.rows("update clocks.shift set seconds = :seconds", { seconds })) };
}
