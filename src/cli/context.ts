import { resolve } from "node:path";
import { type Config, loadConfig } from "../composition/config.js";
import { createDatabase, type Database, type Db } from "../database/connection.js";
import { findCoordinator } from "../database/coordinator.js";
import { hasCluster } from "../database/embedded/data-folder.js";
import { startEmbeddedPostgres } from "../database/embedded/server.js";
import { isMigrated, refuseHalfRestored, refuseOtherSchema } from "../database/migrate.js";
import { type Clock, createDatabaseClock } from "../node/clock.js";
import { describeLivingNode, findLivingNodes, findRunningServer } from "../node/nodes.js";
import { createSharedPoll, type SharedPoll } from "../node/shared-poll.js";
import { ConfigError } from "../platform/config/variables.js";
import { createLogger, type Logger } from "../platform/logger.js";
import { createSystemRandom, type Random } from "../platform/random.js";

/** What commands use that work on the database. A relay may be running on it at the same time. */
export interface CliContext {
  config: Config;
  db: Database;
  /** The database's URL. */
  url: string;
  clock: Clock;
  /** Whether the clock is reliable enough to delete things by their age. */
  isTimeSound: () => boolean;
  random: Random;
  logger: Logger;
  /** Not started: most commands end before anything changes. */
  poll: SharedPoll;
}

const connections = 2;

/** Which databases a command accepts besides one in use. */
interface CliContextOptions {
  /** The schema may be of any version, for a command that reports that. */
  anySchema?: boolean;
  /** The schema may be missing or incomplete, and a backup may be half restored. */
  unmigrated?: boolean;
  /** A backup may be half restored. */
  halfRestored?: boolean;
  /** Creates the embedded database if it does not exist. Otherwise a command in a wrong folder would work on a new, empty one. */
  mayCreate?: boolean;
}

/**
 * Opens the database of the environment's configuration, the embedded one included, for as long as `work` takes.
 * Throws where there is no database, or one that the options do not allow.
 */
export async function withCliContext(
  work: (context: CliContext) => Promise<void>,
  options: CliContextOptions = {},
): Promise<void> {
  const given = loadConfig(process.env);
  if (options.mayCreate !== true) await requireDatabase(given);
  const logger = createLogger({
    level: given.logLevel === "info" ? "warn" : given.logLevel,
    format: given.logFormat,
  });
  const embedded = given.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: given.dataDir, logger }) : null;
  const { url, db } = await openDatabase(given.databaseUrl ?? embedded?.url ?? "").catch(async (error: unknown) => {
    await embedded?.stop();
    throw error;
  });
  const clock = createDatabaseClock({ db, logger, config: given });
  try {
    if (options.anySchema !== true) await requireSchema(db, options);
    await clock.start();
    const config = (await isMigrated(db)) ? await withRunningName(given, db) : given;
    const poll = createSharedPoll({ db, logger, everyMillis: config.settingsRefreshMillis });
    await work({ config, db, url, clock, isTimeSound: clock.sound, random: createSystemRandom(), logger, poll });
  } finally {
    await clock.stop();
    await db.destroy();
    await embedded?.stop();
  }
}

/** Without a name of its own in the environment, a command speaks for the relay that runs, whatever port that one has. */
async function withRunningName(config: Config, db: Database): Promise<Config> {
  const isNamed = ["DOMAIN", "BASE_URL"].some((variable) => (process.env[variable] ?? "") !== "");
  return isNamed ? config : { ...config, ...(await findRunningServer(db, config)) };
}

/** Where the URL leads to another machine of a distributed database, its coordinator is opened. */
async function openDatabase(entryUrl: string): Promise<{ url: string; db: Database }> {
  const db = createDatabase({ url: entryUrl, poolSize: connections });
  try {
    const url = await findCoordinator(db, entryUrl);
    if (url === entryUrl) return { url, db };
    await db.destroy();
    return { url, db: createDatabase({ url, poolSize: connections }) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null || (await hasCluster(dataDir))) return;
  throw new ConfigError([
    `there is no database in ${resolve(dataDir)}: run the command in the relay's folder, or set DATA_DIR or DATABASE_URL`,
  ]);
}

async function requireSchema(db: Database, options: CliContextOptions): Promise<void> {
  await refuseOtherSchema(db);
  if (options.unmigrated === true) return;
  if (!(await isMigrated(db))) {
    throw new ConfigError(["the database has not been set up for this version: run `mls-relay migrate` first"]);
  }
  if (options.halfRestored !== true) await refuseHalfRestored(db);
}

/** Throws where a relay runs on the database, or did until a moment ago. For commands that change what it has in memory. */
export async function refuseWhileNodesRun(
  { db, config }: Pick<CliContext, "config"> & { db: Db },
  reason: string,
): Promise<void> {
  const living = await findLivingNodes(db, config);
  if (living.length === 0) return;
  const nodes = living.map(describeLivingNode).join(" ");
  throw new Error(`a relay is running on this database; stop it first, because ${reason}. ${nodes}`);
}
