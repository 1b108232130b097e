import { createSessions, type Sessions } from "../auth/ended-sessions.js";
import type { MasterKey } from "../auth/master-key.js";
import { checkMasterKey, openMasterKey } from "../auth/master-key-rotation.js";
import { createSecrets, type Secrets } from "../auth/secrets.js";
import { createSigningKeys, type SigningKeys } from "../auth/signing-keys.js";
import { createTokens, type Tokens } from "../auth/tokens.js";
import { findCoordinator, refuseWorker } from "../database/citus/coordinator.js";
import { openPlacement } from "../database/citus/placement.js";
import type { Database, Reader } from "../database/db.js";
import { startEmbeddedPostgres } from "../database/embedded/server.js";
import { migrate, refuseOtherSchema } from "../database/migrations/migrate.js";
import type { Placement } from "../database/placement.js";
import { createNotifications, type Notifications } from "../database/pool/notifications.js";
import { createDatabase } from "../database/pool/pool.js";
import { createReadReplica } from "../database/pool/read-replica.js";
import { refuseTransactionPooling } from "../database/pool/transaction-pooling.js";
import { hasDevices } from "../devices/service.js";
import { createIpHashes, type IpHashes } from "../limits/ip-hash.js";
import { type Clock, type ClockJump, createDatabaseClock } from "../node/clock.js";
import { createNodeLinks, type NodeLinks } from "../node/node-links.js";
import { createNodes, type Nodes } from "../node/nodes.js";
import { createResolver, type Resolve } from "../node/resolver.js";
import { createSchedule, type Schedule } from "../node/schedule.js";
import { createSharedPoll, type SharedPoll } from "../node/shared-poll.js";
import { createLogger, type Logger } from "../platform/logger.js";
import { allowSlowAddresses } from "../platform/net/outgoing.js";
import { createSystemRandom, type Random } from "../platform/random.js";
import type { Lifecycle } from "../process/lifecycle.js";
import type { Config } from "./config.js";
import { refuseOtherReplica } from "./read-replica-check.js";

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
  /** Lets the relay take a name that differs from the database's, so that devices lose their addresses. */
  changeDomain?: boolean;
}

/** The parts that every module builds on. Only the composition root holds all of them; a module receives what it uses. */
export interface Infrastructure {
  databaseUrl: string;
  placement: Placement;
  /** What the configuration names. It differs from `databaseUrl` only for a command that was given a worker of Citus. */
  entryUrl: string;
  db: Database;
  /** For metrics and the audit log: the read replica, if there is one. Its answers may be older than the database. */
  reader: Reader;
  clock: Clock;
  /** Whether the clock may be trusted; a node with an unsound clock is not ready. */
  clockIsSound(): boolean;
  /** The jump that makes the database's time untrusted; null while the time is trusted. */
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

/** The parts that need no master key: the database, its clock, and the ways to learn of changes. */
export type OpenedDatabase = Pick<
  Infrastructure,
  | "databaseUrl"
  | "entryUrl"
  | "placement"
  | "db"
  | "clock"
  | "clockIsSound"
  | "clockJump"
  | "random"
  | "logger"
  | "notifications"
  | "poll"
> & {
  /** Trusts the database's current time. */
  acceptClock(): Promise<void>;
};

/** Makes a process a node: starts the database, the clock, the keys and the state shared by nodes. `lifecycle` stops them. */
export async function openInfrastructure(config: Config, given: Given, lifecycle: Lifecycle): Promise<Infrastructure> {
  const { databasePoolSize: poolSize, databaseStatementTimeoutSeconds: statementTimeoutSeconds } = config;
  allowSlowAddresses();
  const logger = given.logger ?? createLogger({ level: config.logLevel, format: config.logFormat });
  const limits = { poolSize, statementTimeoutSeconds, connectTimeoutSeconds: config.databaseConnectTimeoutSeconds };
  const pool = { ...limits, logger };
  const opened = await openDatabase({
    config,
    given: { ...given, logger },
    lifecycle,
    pool,
    check: async (entry, machines) => {
      await refuseTransactionPooling(entry);
      refuseWorker(machines);
    },
  });
  const { db } = opened;
  // Comes first, because a key may be created if the database holds no secrets.
  await refuseOtherSchema(db);
  const masterKey = await openMasterKey({ db, config, random: opened.random });
  const migrated = await migrate(db, undefined, { onWait: (message) => logger.warn(message) });
  if (migrated.length > 0) logger.info({ steps: migrated.length }, "the schema was brought up to date");
  const replica = config.readDatabaseUrl === null ? null : openPool(config.readDatabaseUrl, { lifecycle, pool });
  const reader = replica === null ? db : createReadReplica({ replica, db, logger });
  const infrastructure = createInfrastructure(opened, { config, masterKey, reader, given, lifecycle });
  const { notifications, nodes, poll, links, signingKeys, sessions } = infrastructure;
  for (const part of [notifications, nodes, poll]) await lifecycle.begin(part);
  await checkMasterKey(db, masterKey);
  for (const part of [links, signingKeys, sessions]) await lifecycle.begin(part);
  if (replica !== null) await refuseOtherReplica(replica, db, logger);
  acceptClockOnNotification(opened);
  return infrastructure;
}

interface OpenDatabaseDeps {
  config: Config;
  given: Given & { logger: Logger };
  lifecycle: Lifecycle;
  pool: Omit<Parameters<typeof createDatabase>[0], "url">;
  /** Throws if the connections of a pool, or the machine that they lead to, cannot be used. */
  check(entry: Database, machines: Pick<OpenedDatabase, "entryUrl" | "databaseUrl">): Promise<void>;
}

/** Opens the database, the embedded one included, and starts its clock. Starts nothing else. */
export async function openDatabase({
  config,
  given,
  lifecycle,
  pool,
  check,
}: OpenDatabaseDeps): Promise<OpenedDatabase> {
  const { logger } = given;
  const entryUrl = await findDatabase(config, logger, lifecycle);
  const entry = openPool(entryUrl, { lifecycle, pool });
  const databaseUrl = await findCoordinator(entry, entryUrl);
  await check(entry, { entryUrl, databaseUrl });
  const db = databaseUrl === entryUrl ? entry : openPool(databaseUrl, { lifecycle, pool });
  const placement = await openPlacement({ db, logger });
  const clock = createDatabaseClock({ db, logger, config });
  if (given.clock === undefined) await lifecycle.begin(clock);
  return {
    databaseUrl,
    entryUrl,
    placement,
    db,
    clock: given.clock ?? clock,
    clockIsSound: () => given.clock !== undefined || clock.sound(),
    clockJump: () => (given.clock === undefined ? clock.jump() : null),
    acceptClock: () => clock.accept(),
    random: given.random ?? createSystemRandom(),
    logger,
    notifications: createNotifications({ url: databaseUrl, logger }),
    poll: createSharedPoll({ db, logger, everyMillis: config.settingsRefreshMillis }),
  };
}

interface InfrastructureDeps {
  config: Config;
  masterKey: MasterKey;
  reader: Reader;
  given: Pick<Given, "resolve" | "changeDomain">;
  lifecycle: Lifecycle;
}

/** Creates what every module builds on, and starts none of it. `lifecycle` ends its name lookups. */
export function createInfrastructure(opened: OpenedDatabase, deps: InfrastructureDeps): Infrastructure {
  const { db, clock, random, logger, poll, notifications, clockIsSound: isTimeSound } = opened;
  const { config, masterKey, reader, given, lifecycle } = deps;
  const nodes = createNodes({
    ...{ db, clock, random, logger, config, notifications },
    mayChangeDomain: async (trx) => given.changeDomain === true || !(await hasDevices(trx)),
  });
  const secrets = createSecrets({ db, clock, random, masterKey });
  const resolver = createResolver({ clock, config });
  lifecycle.atEnd(() => resolver.stop());
  const ipHashes = createIpHashes({ db, clock, random, masterKey, isTimeSound });
  poll.onFailover(() => {
    ipHashes.forget();
    secrets
      .putBack()
      .catch((error: unknown) => logger.warn({ err: error }, "secrets could not be stored after a failover"));
  });
  const signingKeys = createSigningKeys({ db, clock, logger, masterKey, poll, config });
  return {
    ...opened,
    reader,
    nodes,
    secrets,
    signingKeys,
    links: createNodeLinks({ clock, logger, config, nodeId: nodes.nodeId, secret: () => secrets.get("node-links") }),
    sessions: createSessions({ db, clock, logger, poll, config }),
    resolve: given.resolve ?? resolver.resolve,
    ipHashes,
    schedule: createSchedule({ db, clock, logger, config, poll, isTimeSound, nodes }),
    tokens: createTokens({ clock, random, config, signingKeys, domain: config.domain }),
  };
}

/** `mls-relay clock accept` notifies every node. */
function acceptClockOnNotification({ acceptClock, notifications, logger }: OpenedDatabase): void {
  notifications.listen(clockChannel, (payload) => {
    if (payload !== clockAccepted) return;
    acceptClock().catch((error: unknown) => logger.warn({ err: error }, "the database's clock could not be accepted"));
  });
}

function openPool(url: string, { lifecycle, pool }: Pick<OpenDatabaseDeps, "lifecycle" | "pool">): Database {
  const db = createDatabase({ url, ...pool });
  lifecycle.atEnd(() => db.close());
  return db;
}

async function findDatabase(config: Config, logger: Logger, lifecycle: Lifecycle): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    programs: config.embeddedPostgresBin,
    logger,
    settings: config.machinePreset?.postgresql ?? {},
  });
  lifecycle.atEnd(() => embedded.stop());
  return embedded.url;
}
