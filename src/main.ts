import { resolve } from "node:path";
import { type Config, loadConfig } from "./platform/config.js";
import { createLogger } from "./platform/logger.js";
import { createRelay } from "./relay.js";
import { readSeeds } from "./settings/service.js";

/**
 * Runs a relay until SIGTERM or SIGINT, then drains it. A second signal finds no handler and ends the process at once.
 * Throws a ConfigError, or what kept the relay from starting; whatever had started is stopped by then.
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  readSeeds(config.seeds); // A bad seed is told before anything has started.
  const logger = createLogger({ level: config.logLevel });
  const relay = createRelay(config, { logger });
  const asked = askedToStop();
  try {
    const { url } = await relay.start();
    process.stderr.write(`${whereThingsAre(config, url)}\n`);
    logger.info({ signal: await asked }, "stopping");
  } finally {
    await relay.stop();
  }
  logger.info("stopped");
}

function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    process.once("SIGTERM", settle);
    process.once("SIGINT", settle);
  });
}

function whereThingsAre(config: Config, url: string): string {
  const database = config.databaseUrl === null ? resolve(config.dataDir, "postgres") : new URL(config.databaseUrl).host;
  return [
    `mls-relay serves ${config.domain} at ${url}`,
    `  documentation  ${url}/docs`,
    `  contract       ${url}/openapi.json, ${url}/asyncapi.json`,
    `  database       ${database}`,
    `  master key     ${config.masterKey === null ? resolve(config.masterKeyFile) : "from MASTER_KEY"}`,
  ].join("\n");
}
