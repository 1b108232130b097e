import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../platform/config/config.js";
import { startEmbeddedPostgres } from "../../platform/embedded-postgres/server.js";
import { createLifecycle } from "../../platform/lifecycle.js";
import { createLogger } from "../../platform/logger.js";
import { createRelay } from "../../relay.js";

/** A relay that runs as long as the demo. */
export interface OwnRelay {
  url: string;
  domain: string;
  databaseUrl: string;
  /** Stops it and removes all of its data. */
  stop(): Promise<void>;
}

export const ownDomain = "relay.demo";
/** Limits that let the demo run in seconds. The delay proofs are real, but short. */
const settings = {
  DOMAIN: ownDomain,
  BASE_URL: `http://${ownDomain}`,
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "error",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
  CHALLENGES_PER_IP_HOUR: "100",
  SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "200000",
  SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000",
};

/** Starts a relay on a free port and its own PostgreSQL, both in a temporary folder. */
export async function startOwnRelay(overrides: Readonly<Record<string, string>> = {}): Promise<OwnRelay> {
  const lifecycle = createLifecycle();
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-demo-"));
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    // The database server may run as another user, who needs access to its folder in this one.
    await chmod(folder, 0o711);
    const logger = createLogger({ level: "error" });
    const postgres = await startEmbeddedPostgres({ dataDir: folder, logger });
    lifecycle.atEnd(() => postgres.stop());
    const config = loadConfig({ ...settings, ...overrides, DATA_DIR: folder, DATABASE_URL: postgres.url });
    const relay = createRelay(config, { logger });
    lifecycle.atEnd(() => relay.stop());
    const { port } = await relay.start();
    const url = `http://127.0.0.1:${port}`;
    return { url, domain: ownDomain, databaseUrl: postgres.url, stop: () => lifecycle.end() };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}
