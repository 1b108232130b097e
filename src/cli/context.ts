import { resolve } from "node:path";
import type { Knex } from "knex";
import { type Clock, createDatabaseClock } from "../platform/cluster/clock.js";
import { type Config, ConfigError, loadConfig } from "../platform/config/config.js";
import { createDatabase } from "../platform/database/connection.js";
import { isMigrated, refuseHalfRestored } from "../platform/database/migrate.js";
import { hasCluster } from "../platform/embedded-postgres/data-folder.js";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/server.js";
import { createLogger, type Logger } from "../platform/logger.js";
import { createSystemRandom, type Random } from "../platform/random.js";

/** What a command needs that works on the database, beside a relay that may be running. */
export interface CliContext {
  config: Config;
  db: Knex;
  /** Where that database is. */
  url: string;
  clock: Clock;
  /** Whether the clock may be trusted with deleting things for their age. */
  isTimeSound: () => boolean;
  random: Random;
  logger: Logger;
}

const connections = 2;

/** What a command may find that is not a database in use. */
export interface WorkplaceOptions {
  /** The schema may be any version's, and a backup may be half restored. */
  anySchema?: boolean;
  /** A backup may be half restored. */
  halfRestored?: boolean;
  /** Where there is no embedded database, one is made. Else a command in a wrong folder would work on a new, empty one. */
  mayCreate?: boolean;
}

/**
 * Opens the database of the environment's configuration, the embedded one included, for as long as `work` takes.
 * Throws where there is none, or it is not as the options allow.
 */
export async function withCliContext(
  work: (place: CliContext) => Promise<void>,
  options: WorkplaceOptions = {},
): Promise<void> {
  const config = loadConfig(process.env);
  if (options.mayCreate !== true) await demandDatabase(config);
  const logger = createLogger({ level: config.logLevel === "info" ? "warn" : config.logLevel });
  const embedded =
    config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, logger }) : null;
  const url = config.databaseUrl ?? embedded?.url ?? "";
  const db = createDatabase({ url, poolSize: connections });
  const clock = createDatabaseClock({ db, logger, config });
  try {
    if (options.anySchema !== true) await demandSchema(db);
    if (options.anySchema !== true && options.halfRestored !== true) await refuseHalfRestored(db);
    await clock.start();
    await work({ config, db, url, clock, isTimeSound: clock.sound, random: createSystemRandom(), logger });
  } finally {
    await clock.stop();
    await db.destroy();
    await embedded?.stop();
  }
}

async function demandDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null || (await hasCluster(dataDir))) return;
  throw new ConfigError([
    `there is no database in ${resolve(dataDir)}: run the command in the relay's folder, or set DATA_DIR or DATABASE_URL`,
  ]);
}

async function demandSchema(db: Knex): Promise<void> {
  if (await isMigrated(db)) return;
  throw new ConfigError(["the database has not been set up for this version: run `mls-relay migrate` first"]);
}
