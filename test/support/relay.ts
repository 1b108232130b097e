import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Config, constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createLogger, type Logger } from "../../src/platform/logger.js";
import { createRelay } from "../../src/relay.js";
import { createTestDatabase } from "./database.js";
import { loggedFaults } from "./logged-faults.js";

/** A real relay in this process, with a separate database, whose time the test advances. */
export interface TestRelay {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  url: string;
  streamUrl: string;
  /** The address for Prometheus, if switched on. */
  metricsUrl: string | null;
  clock: ManualClock;
  config: Config;
  databaseUrl: string;
  /** Stops the relay and drops its database, unless the database was passed in. */
  stop(): Promise<void>;
}

// All devices of a test come from one network address, and none of them has to compute a proof.
const roomForTests = {
  // A database on a busy machine must not look like one that has lost its standby.
  intakeStuckMillis: 60_000,
  challengesPerIpHour: 100_000,
  firstAnnouncementsPerIpHour: 100_000,
  firstAnnouncementsPerIpDay: 100_000,
  federationChallengesPerIpMinute: 100_000,
  federationChallengesPerOriginMinute: 100_000,
  federationAuthenticationsPerOriginMinute: 100_000,
  federationAuthenticationsPerIpMinute: 100_000,
} satisfies Partial<Config>;
const seeds = { SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false" };

/**
 * Starts a relay named `relay.test` with responses checked against the contract. `overrides` replace settings of the
 * environment, `overrides.seeds` are added to the usual ones. A second node of the same relay is started with the first
 * one's `config` (its database, master key and name) and, through `shared`, its clock. A `logger` receives what a relay
 * logs. A relay that `goesByDatabase` has no clock that could be advanced: its time is the database's.
 */
export async function startRelay(
  overrides: Partial<Config> = {},
  shared: { clock?: ManualClock; logger?: Logger; goesByDatabase?: boolean } = {},
): Promise<TestRelay> {
  const database = overrides.databaseUrl ? undefined : await createTestDatabase();
  await database?.db.close();
  const blobDir = path.join(tmpdir(), `mls-relay-test-blobs-${randomBytes(8).toString("hex")}`);
  const config = testConfig({ databaseUrl: database?.url ?? null, blobDir, ...overrides });
  const clock = shared.clock ?? createManualClock(createSystemClock());
  const logger = shared.logger ?? testLogger();
  const relay = createRelay(config, shared.goesByDatabase ? { logger } : { clock, logger });
  const stop = async () => {
    await relay.stop();
    await rm(blobDir, { recursive: true, force: true });
    await database?.drop();
  };
  try {
    const { port, metricsUrl } = await relay.start();
    const url = `http://127.0.0.1:${port}`;
    const streamUrl = `ws://127.0.0.1:${port}/v1/stream`;
    return { url, streamUrl, metricsUrl, clock, config, databaseUrl: config.databaseUrl ?? "", stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Faults are shown with the failing test (show-faults.ts); TEST_LOG_LEVEL shows a whole log. */
function testLogger(): Logger {
  const level = process.env["TEST_LOG_LEVEL"];
  return level === undefined
    ? createLogger({ level: "error", destination: loggedFaults })
    : createLogger({ level: level as Config["logLevel"] });
}

function testConfig(overrides: Partial<Config>): Config {
  const base = loadConfig({
    DOMAIN: "relay.test",
    BASE_URL: "http://relay.test",
    HOST: "127.0.0.1",
    PORT: "0",
    MASTER_KEY: randomBytes(32).toString("hex"),
    LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
    ...constantsEnvironment({ validateResponses: true }),
    DATABASE_POOL_SIZE: "5",
  });
  return { ...base, ...roomForTests, ...overrides, port: 0, seeds: { ...seeds, ...overrides.seeds } };
}
