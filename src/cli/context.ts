import { resolve } from "node:path";
import { openMasterKey } from "../auth/master-key-rotation.js";
import { type Config, loadConfig } from "../composition/config.js";
import {
  createInfrastructure,
  type Infrastructure,
  type OpenedDatabase,
  openDatabase,
} from "../composition/infrastructure.js";
import type { Database, Db } from "../database/db.js";
import { hasCluster } from "../database/embedded/data-folder.js";
import { isMigrated, refuseMarked, refuseOtherSchema } from "../database/migrations/migrate.js";
import { describeLivingNode, findLivingNodes } from "../node/nodes.js";
import { readServerName } from "../node/server-name.js";
import { ConfigError } from "../platform/config/variables.js";
import { createLogger } from "../platform/logger.js";
import { createLifecycle, type Lifecycle } from "../process/lifecycle.js";

/** What commands that work on the database use. A relay may be running on it at the same time. */
export interface CliContext extends OpenedDatabase {
  config: Config;
}

const connections = 2;

/** Which databases a command accepts besides one in use. */
interface CliContextOptions {
  /** The schema may be of any version, for a command that reports that. */
  anySchema?: boolean;
  /** The schema may be missing or incomplete, and a backup may be half restored. */
  unmigrated?: boolean;
  /** Markers that the database may have: of a backup that is half restored, or of a move. */
  accepted?: readonly string[];
  /** Creates the embedded database if it does not exist. Otherwise a command in a wrong folder would work on a new, empty one. */
  mayCreate?: boolean;
}

/**
 * Opens the database of the environment's configuration, the embedded one included, for as long as `work` takes.
 * Throws if there is no database, or one that the options do not allow.
 */
export async function withCliContext(
  work: (context: CliContext) => Promise<void>,
  options: CliContextOptions = {},
): Promise<void> {
  const given = loadConfig(process.env);
  if (options.mayCreate !== true) await requireDatabase(given);
  const lifecycle = createLifecycle();
  const logger = createLogger({ level: given.logLevel === "info" ? "warn" : given.logLevel, format: given.logFormat });
  const pool = { poolSize: connections };
  try {
    const opened = await openDatabase({ config: given, given: { logger }, lifecycle, pool, check: async () => {} });
    if (options.anySchema !== true) await requireSchema(opened.db, options);
    const config = (await isMigrated(opened.db)) ? await withServerName(given, opened.db) : given;
    await work({ ...opened, config });
  } finally {
    await lifecycle.end();
  }
}

/**
 * For commands that need the master key. The command does not become a node: no heartbeat, no jobs, no streams. `work`
 * begins the parts that it uses.
 */
export async function withInfrastructure(
  context: CliContext,
  work: (infrastructure: Infrastructure, lifecycle: Lifecycle) => Promise<void>,
): Promise<void> {
  const { config, db, random } = context;
  const lifecycle = createLifecycle();
  try {
    const masterKey = await openMasterKey({ db, config, random });
    await work(createInfrastructure(context, { config, masterKey, reader: db, given: {}, lifecycle }), lifecycle);
  } finally {
    await lifecycle.end();
  }
}

/** Commands speak for the relay of the database, whatever name or port their own environment has. */
async function withServerName(config: Config, db: Database): Promise<Config> {
  const name = await readServerName(db);
  if (name === undefined) return config;
  const hasUrl = (process.env["BASE_URL"] ?? "").trim() !== "";
  return { ...config, ...name, ...(hasUrl && { baseUrl: config.baseUrl }) };
}

/** Whether the configuration names a database, or there is an embedded one. */
export async function hasDatabase({ databaseUrl, dataDir }: Config): Promise<boolean> {
  return databaseUrl !== null || (await hasCluster(dataDir));
}

async function requireDatabase(config: Config): Promise<void> {
  if (await hasDatabase(config)) return;
  throw new ConfigError([
    `there is no database in ${resolve(config.dataDir)}: run the command in the relay's folder, or set DATA_DIR or DATABASE_URL`,
  ]);
}

async function requireSchema(db: Database, options: CliContextOptions): Promise<void> {
  await refuseOtherSchema(db);
  if (options.unmigrated === true) return;
  if (!(await isMigrated(db))) {
    throw new ConfigError(["the database has not been set up for this version: run `mls-relay migrate` first"]);
  }
  await refuseMarked(db, options.accepted);
}

/**
 * Throws if a relay is running on the database or was a moment ago. For commands that change what a relay has in
 * memory.
 */
export async function refuseWhileNodesRun(
  { db, config }: Pick<CliContext, "config"> & { db: Db },
  reason: string,
): Promise<void> {
  const living = await findLivingNodes(db, config);
  if (living.length === 0) return;
  const nodes = living.map(describeLivingNode).join(" ");
  throw new Error(`a relay is running on this database; stop it first, because ${reason}. ${nodes}`);
}
