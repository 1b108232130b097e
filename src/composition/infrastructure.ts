import { checkMasterKey, openMasterKey } from "../auth/master-key-rotation.js";
import { createSecrets, type Secrets } from "../auth/secrets.js";
import { createSessions, type Sessions } from "../auth/sessions.js";
import { createSigningKeys, type SigningKeys } from "../auth/signing-keys.js";
import { createTokens, type Tokens } from "../auth/tokens.js";
import { createDatabase, type Database, type Reader } from "../database/connection.js";
import { findCoordinator } from "../database/coordinator.js";
import { startEmbeddedPostgres } from "../database/embedded/server.js";
import { migrate, refuseOtherSchema } from "../database/migrate.js";
import { createNotifications, type Notifications } from "../database/notifications.js";
import { createReadReplica } from "../database/read-replica.js";
import { refuseTransactionPooling } from "../database/transaction-pooling.js";
import { type Clock, type ClockJump, createDatabaseClock, type DatabaseClock } from "../node/clock.js";
import { createNodeLinks, type NodeLinks } from "../node/node-links.js";
import { createNodes, type Nodes } from "../node/nodes.js";
import { createResolver, type Resolve } from "../node/resolver.js";
import { createSchedule, type Schedule } from "../node/schedule.js";
import { createSharedPoll, type SharedPoll } from "../node/shared-poll.js";
import type { Lifecycle } from "../platform/lifecycle.js";
import { createLogger, type Logger } from "../platform/logger.js";
import { createSystemRandom, type Random } from "../platform/random.js";
import { createIpHashes, type IpHashes } from "../rate-limit/ip-hash.js";
import type { Config } from "./config.js";

/** The channel on which nodes learn that an operator accepts the database's clock. */
export const clockChannel = "clock";
export const clockAccepted = "accepted";

/** The parts that tests and embedders may replace. */
export interface Given {
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** Resolves names of other servers. Defaults to the hosts file and DNS. */
  resolve?: Resolve;
}

/** The parts that every module builds on. Only the composition root holds all of them; a module receives what it uses. */
export interface Infrastructure {
  databaseUrl: string;
  /** The machine of a distributed database to which this relay sends messages; otherwise the same. */
  entryUrl: string;
  db: Database;
  /** For metrics and the audit log: the read replica, if there is one. What it answers may be older than the database. */
  reader: Reader;
  clock: Clock;
  /** Whether the clock may be trusted; a node whose clock is not sound is not ready. */
  clockIsSound(): boolean;
  /** The jump because of which the database's time is not trusted; null while it is. */
  clockJump(): ClockJump | null;
  random: Random;
  logger: Logger;
  resolve: Resolve;
  secrets: Secrets;
  ipHashes: IpHashes;
  notifications: Notifications;
  links: NodeLinks;
  nodes: Nodes;
  poll: SharedPoll;
  schedule: Schedule;
  signingKeys: SigningKeys;
  tokens: Tokens;
  sessions: Sessions;
}

/** Starts the database, the clock, the keys and the state shared by nodes. `lifecycle` stops what was started. */
export async function openInfrastructure(config: Config, given: Given, lifecycle: Lifecycle): Promise<Infrastructure> {
  const random = given.random ?? createSystemRandom();
  const logger = given.logger ?? createLogger({ level: config.logLevel, format: config.logFormat });
  const entryUrl = await findDatabase(config, logger, lifecycle);
  const { db, databaseUrl } = await openDatabase(entryUrl, { config, logger, lifecycle });
  // First, because a key may be made where the database holds no secrets.
  await refuseOtherSchema(db);
  const masterKey = await openMasterKey({ db, config, random });
  const migrated = await migrate(db);
  if (migrated.length > 0) logger.info({ steps: migrated.length }, "the schema was brought up to date");
  const databaseClock = createDatabaseClock({ db, logger, config });
  if (given.clock === undefined) await lifecycle.begin(databaseClock);
  const clock = given.clock ?? databaseClock;
  const isTimeSound = () => given.clock !== undefined || databaseClock.sound();
  const poll = createSharedPoll({ db, logger, everyMillis: config.settingsRefreshMillis });
  const base = { db, clock, random, logger, masterKey, isTimeSound, poll, config };
  const notifications = createNotifications({ url: databaseUrl, logger });
  const nodes = createNodes({ ...base, notifications });
  const secrets = createSecrets(base);
  const links = createNodeLinks({ ...base, nodeId: nodes.nodeId, secret: () => secrets.get("node-links") });
  const resolver = createResolver(base);
  lifecycle.atEnd(() => resolver.stop());
  const signingKeys = createSigningKeys(base);
  const sessions = createSessions(base);
  for (const part of [notifications, nodes, poll]) await lifecycle.begin(part);
  await checkMasterKey(db, masterKey);
  for (const part of [links, signingKeys, sessions]) await lifecycle.begin(part);
  acceptClockOnNotification({ clock: databaseClock, notifications, logger });
  return {
    databaseUrl,
    entryUrl,
    db,
    reader: openReader(db, { config, logger, lifecycle }),
    clock,
    random,
    logger,
    notifications,
    links,
    nodes,
    poll,
    signingKeys,
    sessions,
    clockIsSound: isTimeSound,
    clockJump: () => (given.clock === undefined ? databaseClock.jump() : null),
    resolve: given.resolve ?? resolver.resolve,
    secrets,
    ipHashes: createIpHashes(base),
    schedule: createSchedule({ ...base, nodes }),
    tokens: createTokens({ ...base, signingKeys, domain: config.domain }),
  };
}

/** `mls-relay clock accept` notifies every node. */
function acceptClockOnNotification(deps: { clock: DatabaseClock; notifications: Notifications; logger: Logger }): void {
  const { clock, notifications, logger } = deps;
  notifications.listen(clockChannel, (payload) => {
    if (payload !== clockAccepted) return;
    clock.accept().catch((error: unknown) => logger.warn({ err: error }, "the database's clock could not be accepted"));
  });
}

interface PoolDeps {
  config: Config;
  logger: Logger;
  lifecycle: Lifecycle;
}

function openPool(url: string, { config, logger, lifecycle }: PoolDeps): Database {
  const pool = createDatabase({
    url,
    poolSize: config.databasePoolSize,
    statementTimeoutSeconds: config.databaseStatementTimeoutSeconds,
    connectTimeoutSeconds: config.databaseConnectTimeoutSeconds,
    logger,
  });
  lifecycle.atEnd(() => pool.destroy());
  return pool;
}

/** Opens the pool; where the URL leads to another machine of a distributed database, on its coordinator. */
async function openDatabase(entryUrl: string, deps: PoolDeps): Promise<{ db: Database; databaseUrl: string }> {
  const db = openPool(entryUrl, deps);
  await refuseTransactionPooling(db);
  const databaseUrl = await findCoordinator(db, entryUrl);
  return { databaseUrl, db: databaseUrl === entryUrl ? db : openPool(databaseUrl, deps) };
}

function openReader(db: Database, deps: PoolDeps): Reader {
  const { readDatabaseUrl } = deps.config;
  if (readDatabaseUrl === null) return db;
  return createReadReplica({ replica: openPool(readDatabaseUrl, deps), db, logger: deps.logger });
}

async function findDatabase(config: Config, logger: Logger, lifecycle: Lifecycle): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    logger,
    settings: config.machinePreset?.postgresql ?? {},
  });
  lifecycle.atEnd(() => embedded.stop());
  return embedded.url;
}
