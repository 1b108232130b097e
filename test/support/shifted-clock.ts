import { rows } from "../../src/database/connection.js";
import type { TestDatabase } from "./database.js";

/** A database whose clock a test moves, for connections that are opened from now on. */
export interface ShiftedClock {
  /** By how much it is ahead of the truth; less than zero is behind. */
  shift(seconds: number): Promise<void>;
}

/** PostgreSQL finds a `clock_timestamp` of the test before its own. */
export async function shiftClock({ db, url }: TestDatabase): Promise<ShiftedClock> {
  const name = new URL(url).pathname.slice(1);
  await db.raw(`
    create schema clocks;
    create table clocks.shift (seconds double precision not null);
    insert into clocks.shift values (0);
    create function clocks.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + make_interval(secs => (select seconds from clocks.shift))';
    alter database ${name} set search_path = public, clocks, pg_catalog`);
  return { shift: async (seconds) => void (await rows(db, "update clocks.shift set seconds = :seconds", { seconds })) };
}
