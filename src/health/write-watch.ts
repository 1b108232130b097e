import type { DatabaseSettings } from "../database/config.js";
import type { Database } from "../database/db.js";
import { readDiskFree } from "../database/disk-space.js";
import { diskFullState, readOnlyState, sqlStateOf } from "../database/errors.js";
import type { Clock } from "../node/clock.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import type { HealthSettings } from "./config.js";
import { inTime } from "./database-watch.js";
import { askDatabase } from "./read-model.js";

/** The reason why the database accepts no writes although it answers. */
export type WriteTrouble = { reason: "full" | "read-only" | "unconfirmed"; since: number };

/** Whether the database accepts writes from this node. */
export type WriteWatch = ReturnType<typeof createWriteWatch>;

export type WriteWatchLimits = Pick<HealthSettings, "alertCheckSeconds" | "healthTimeoutMillis"> &
  Pick<DatabaseSettings, "databaseUrl"> &
  Pick<ServerConfig, "dataDir">;

const reasons: Readonly<Record<string, WriteTrouble["reason"]>> = {
  [diskFullState]: "full",
  [readOnlyState]: "read-only",
};
/** The reasons in words. */
export const writeTroubleText: Readonly<Record<WriteTrouble["reason"], string>> = {
  full: "No space is left on the database's disk: whatever has to be stored is refused.",
  "read-only": "The database is read-only: requests that must store something are refused.",
  unconfirmed: "The database answers, but confirms no writes: a synchronous standby may be lost.",
};
const logText: Readonly<Record<WriteTrouble["reason"], string>> = {
  full: "no space left on the database's disk",
  "read-only": "the database is read-only",
  unconfirmed: "the database answers, but confirms no writes",
};
/** A write that takes longer waits for something other than the disk. */
const confirmMillis = 5_000;

/**
 * Says "no space" only if PostgreSQL says so, "unconfirmed" only if it answers something else meanwhile, and "writes
 * succeed" only if one did. Other failures, such as a lost connection, are detected elsewhere and change nothing here.
 */
export function createWriteWatch(deps: { db: Database; clock: Clock; logger: Logger; config: WriteWatchLimits }) {
  const { db, clock, logger, config } = deps;
  let trouble: WriteTrouble | null = null;
  let diskFree: number | null = null;

  const note = (reason: WriteTrouble["reason"] | null): void => {
    if (reason === (trouble?.reason ?? null)) return;
    trouble = reason === null ? null : { reason, since: clock.nowSeconds() };
    if (reason === null) logger.info("the database takes writes again");
    else logger.error({ disk_free_bytes: diskFree }, logText[reason]);
  };

  /** The write in progress: a commit may wait for a standby as long as the standby is down. */
  let writing: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    try {
      await writeUnlessWritten(db, config.alertCheckSeconds / 2);
      note(null);
    } catch (error) {
      const reason = reasons[sqlStateOf(error) ?? ""];
      if (reason !== undefined) note(reason);
    } finally {
      writing = undefined;
    }
  };
  const write = async (): Promise<void> => {
    diskFree = await readDiskFree(config);
    writing ??= begin();
    const isLate = await inTime(writing, confirmMillis).then(
      () => false,
      () => true,
    );
    if (isLate && (await answers(db, config))) note("unconfirmed");
  };
  const periodic = createPeriodic({
    everyMillis: config.alertCheckSeconds * 1000,
    run: write,
    failed: (error) => logger.warn({ err: error }, "the free space of the database's disk could not be read"),
  });

  return {
    /** Writes now, unless another node has done so recently, or joins a write in progress; never throws. */
    look: periodic.run,
    /** Checks periodically. */
    start: periodic.start,
    stop: periodic.stop,
    /** Null while writes succeed. Times are Unix seconds. */
    trouble: (): WriteTrouble | null => trouble,
    /** Free bytes on the disk of the embedded database; null for any other database. */
    diskFreeBytes: (): number | null => diskFree,
  };
}

async function answers(db: Database, { healthTimeoutMillis }: WriteWatchLimits): Promise<boolean> {
  return inTime(askDatabase(db), healthTimeoutMillis).then(
    () => true,
    () => false,
  );
}

/** If another node could write recently, this one could, too, so not every node needs to write. */
async function writeUnlessWritten(db: Database, seconds: number): Promise<void> {
  const lately = await db.one(
    `select 1 as written from write_probe
     where abs(extract(epoch from clock_timestamp() - written_at)) < :seconds::double precision`,
    { seconds },
  );
  if (lately === undefined) await writeProbe(db);
}

/** An emptied table gets a new file, so the row needs space that was free on the disk, not in the table. */
async function writeProbe(db: Database): Promise<void> {
  await db.transaction(async (trx) => {
    // Another node may be doing it.
    await trx.run("set local lock_timeout = '1s'");
    await trx.run("truncate write_probe");
    await trx.run("insert into write_probe (filler) values (repeat('x', 1000))");
  });
}
