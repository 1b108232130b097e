import type { Knex } from "knex";
import { type Clock, type ClockJump, createDatabaseClock, type DatabaseClock } from "./clock.js";
import type { Config } from "./config.js";
import { createDatabase } from "./database/connection.js";
import { startEmbeddedPostgres } from "./database/embedded.js";
import { migrate } from "./database/migrate.js";
import { createNotifications, type Notifications } from "./database/notifications.js";
import { createIpHashes, type IpHashes } from "./ip-hash.js";
import type { Lifecycle } from "./lifecycle.js";
import { createLogger, type Logger } from "./logger.js";
import { checkMasterKey, openMasterKey } from "./master-key-rotation.js";
import { createNodes, type Nodes } from "./nodes.js";
import { createSystemRandom, type Random } from "./random.js";
import { createResolver, type Resolve } from "./resolver.js";
import { createSchedule, type Schedule } from "./schedule.js";
import { createSecrets, type Secrets } from "./secrets.js";
import { createSessions, type Sessions } from "./sessions.js";
import { createSigningKeys, type SigningKeys } from "./signing-keys.js";
import { createTokens, type Tokens } from "./tokens.js";

/** Where nodes hear that a person vouches for the database's clock. */
export const clockChannel = "clock";
export const clockAccepted = "accepted";

/** The parts that tests and embedders may bring themselves. */
export interface Given {
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** How names of other servers are resolved; the hosts file and DNS without it. */
  resolve?: Resolve;
}

/** What every room stands on. Only the composition root holds all of it; rooms are handed what they use. */
export interface Foundation {
  databaseUrl: string;
  db: Knex;
  clock: Clock;
  /** Whether the clock may be trusted; a node whose clock is not sound is not ready. */
  clockIsSound(): boolean;
  /** What the database's time is not believed for; null while it is. */
  clockJump(): ClockJump | null;
  random: Random;
  logger: Logger;
  resolve: Resolve;
  secrets: Secrets;
  ipHashes: IpHashes;
  notifications: Notifications;
  nodes: Nodes;
  schedule: Schedule;
  signingKeys: SigningKeys;
  tokens: Tokens;
  sessions: Sessions;
}

/** Brings up the database, the clock, the keys and what nodes share. What was begun is ended by `lifecycle`. */
export async function openFoundation(config: Config, given: Given, lifecycle: Lifecycle): Promise<Foundation> {
  const random = given.random ?? createSystemRandom();
  const logger = given.logger ?? createLogger({ level: config.logLevel });
  const databaseUrl = await findDatabase(config, logger, lifecycle);
  const db = createDatabase({
    url: databaseUrl,
    poolSize: config.databasePoolSize,
    statementTimeoutSeconds: config.databaseStatementTimeoutSeconds,
    connectTimeoutSeconds: config.databaseConnectTimeoutSeconds,
    logger,
  });
  lifecycle.atEnd(() => db.destroy());
  const masterKey = await openMasterKey({ db, config, random });
  await migrate(db);
  const databaseClock = createDatabaseClock({ db, logger, limits: config });
  if (given.clock === undefined) await lifecycle.begin(databaseClock);
  const clock = given.clock ?? databaseClock;
  const isTimeSound = () => given.clock !== undefined || databaseClock.sound();
  const base = { db, clock, random, logger, masterKey, isTimeSound, limits: config };
  const notifications = createNotifications({ url: databaseUrl, logger });
  const nodes = createNodes({ ...base, notifications });
  const resolver = createResolver(base);
  lifecycle.atEnd(() => resolver.stop());
  const signingKeys = createSigningKeys(base);
  const sessions = createSessions(base);
  for (const part of [notifications, nodes]) await lifecycle.begin(part);
  await checkMasterKey(db, masterKey);
  for (const part of [signingKeys, sessions]) await lifecycle.begin(part);
  acceptClockWhenTold({ clock: databaseClock, notifications, logger });
  return {
    ...{ databaseUrl, db, clock, random, logger, notifications, nodes, signingKeys, sessions },
    clockIsSound: isTimeSound,
    clockJump: () => (given.clock === undefined ? databaseClock.jump() : null),
    resolve: given.resolve ?? resolver.resolve,
    secrets: createSecrets(base),
    ipHashes: createIpHashes(base),
    schedule: createSchedule({ ...base, nodes }),
    tokens: createTokens({ ...base, signingKeys, domain: config.domain }),
  };
}

/** By `mls-relay clock accept`, which reaches every node. */
function acceptClockWhenTold(needs: { clock: DatabaseClock; notifications: Notifications; logger: Logger }): void {
  const { clock, notifications, logger } = needs;
  notifications.listen(clockChannel, (payload) => {
    if (payload !== clockAccepted) return;
    clock.accept().catch((error: unknown) => logger.warn({ err: error }, "the database's clock could not be accepted"));
  });
}

async function findDatabase(config: Config, logger: Logger, lifecycle: Lifecycle): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  lifecycle.atEnd(() => embedded.stop());
  return embedded.url;
}
