import cluster from "node:cluster";
import { resolve } from "node:path";
import { type Config, loadConfig } from "./platform/config/config.js";
import { createLogger } from "./platform/logger.js";
import { endOnUncaughtErrors } from "./platform/uncaught-errors.js";
import { createRelay } from "./relay.js";
import { readSeeds } from "./settings/service.js";

/**
 * Runs a relay until SIGTERM or SIGINT, then drains it. A second signal finds no handler and ends the process at once.
 * An error that nobody caught drains it too, and ends the process with a code of its own.
 * Throws a ConfigError, or what kept the relay from starting; whatever had started is stopped by then.
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  readSeeds(config.seeds); // A bad seed is told before anything has started.
  const logger = createLogger({ level: config.logLevel });
  const relay = createRelay(config, { logger });
  const drain = (): Promise<void> => relay.stop();
  const release = endOnUncaughtErrors({ logger, drain, graceSeconds: config.shutdownGraceSeconds });
  const asked = askedToStop();
  try {
    const { url } = await relay.start();
    announce(whereThingsAre(config, url));
    logger.info({ signal: await asked }, "stopping");
  } finally {
    await relay.stop();
    release();
    // The channel to the process that started it would keep a worker running.
    cluster.worker?.disconnect();
  }
  logger.info("stopped");
}

/** One of several workers tells the process that started it, which speaks for all. */
function announce(words: string): void {
  if (cluster.isWorker) process.send?.({ serving: words });
  else process.stderr.write(`${words}\n`);
}

/** Ctrl-C reaches every process of a terminal: of several workers each waits to be told by the one that started it. */
function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    process.once("SIGTERM", settle);
    if (cluster.isWorker) process.on("SIGINT", () => {});
    else process.once("SIGINT", settle);
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
