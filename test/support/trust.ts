import { randomBytes } from "node:crypto";
import { createMasterKey, type MasterKey } from "../../src/auth/master-key.js";
import { type Config, loadConfig } from "../../src/composition/config.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createSharedPoll, type SharedPoll } from "../../src/node/shared-poll.js";
import { createLogger, type Logger } from "../../src/platform/logger.js";
import { createSystemRandom, type Random } from "../../src/platform/random.js";
import { createTestDatabase, type TestDatabase } from "./database.js";

/** What the tests of keys and sessions need: a database, a master key and a clock that tests advance. */
export interface TrustFixture {
  database: TestDatabase;
  db: TestDatabase["db"];
  masterKey: MasterKey;
  clock: ManualClock;
  isTimeSound: () => boolean;
  random: Random;
  logger: Logger;
  /** Not started: copies older than a second refresh themselves on use. */
  poll: SharedPoll;
  config: Config;
}

export async function createTrustFixture(): Promise<TrustFixture> {
  const database = await createTestDatabase();
  const random = createSystemRandom();
  const logger = createLogger({ level: "silent" });
  return {
    database,
    db: database.db,
    masterKey: createMasterKey(randomBytes(32), random),
    clock: createManualClock(createSystemClock()),
    isTimeSound: () => true,
    random,
    logger,
    poll: createSharedPoll({ db: database.db, logger, everyMillis: 500 }),
    config: loadConfig({}),
  };
}
