import cluster from "node:cluster";
import { loadConfig, misspeltVariables } from "../composition/config.js";
import { createLogger } from "../platform/logger.js";
import { boundHeap, smallHeap, usualHeap } from "../process/heap.js";
import { beyondOpenFiles, readOpenFilesLimit } from "../process/open-files.js";
import { createServiceManager, watchdogMillis } from "../process/service-manager.js";
import { endBy, onStopSignals, type StopSignal } from "../process/stop-signals.js";
import { endOnUncaughtErrors } from "../process/uncaught-errors.js";
import { createRelay } from "../relay.js";
import { findPreset, readSeeds, seedVariables } from "../settings/service.js";
import { describeStart, logStart } from "./startup-log.js";

/** A worker tells its parent process that it serves, with the text to print, and that it is alive. */
export type WorkerMessage = { serving: string } | { alive: true };

const signsPerTimeout = 4;
const signMillis = 1_000;

/**
 * Runs a relay until a signal asks it to stop, then drains it. A second signal ends the process at once. An uncaught
 * error also drains it and ends the process with exit code 70. Throws a ConfigError, or the error that kept the relay
 * from starting; everything that had started is stopped by then.
 */
export async function serve(env: NodeJS.ProcessEnv, { changeDomain = false } = {}): Promise<void> {
  const config = loadConfig(env);
  // Both throw for an invalid value before anything has started.
  readSeeds(config.seeds);
  if (config.preset !== null) findPreset(config.preset);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  for (const similar of misspeltVariables(env, seedVariables()))
    logger.warn(similar, "this variable is not read: a similar one is");
  const scarce = beyondOpenFiles(await readOpenFilesLimit(), config);
  if (scarce !== undefined) logger.warn({ advice: scarce.advice }, scarce.message);
  const relay = createRelay(config, { logger, changeDomain });
  const drain = (): Promise<void> => relay.stop();
  const release = endOnUncaughtErrors({ logger, drain, graceSeconds: config.shutdownGraceSeconds });
  const stopSignal = waitForStopSignal(env);
  // For workers, the parent process notifies systemd.
  const serviceManager = createServiceManager({ env: cluster.isWorker ? {} : env, logger });
  try {
    const listening = await relay.start();
    boundHeap(config.machinePreset === null ? usualHeap : smallHeap);
    logStart(logger, config, listening);
    announce(describeStart(config, listening, cluster.isWorker));
    await serviceManager.ready(`serves ${config.domain}`);
    const signs = reportLife(env);
    logger.info({ signal: await stopSignal }, "stopping");
    clearInterval(signs);
    await serviceManager.stopping();
  } finally {
    await relay.stop();
    release();
    // Otherwise the channel to the parent process would keep a worker running.
    cluster.worker?.disconnect();
  }
  logger.info("stopped");
}

/** A worker sends the text to its parent process, which prints it once for all workers. */
function announce(text: string): void {
  if (cluster.isWorker) process.send?.({ serving: text } satisfies WorkerMessage);
  else process.stderr.write(`${text}\n`);
}

/** A worker tells its parent process that it is alive: every second, or as often as systemd's watchdog requires. */
function reportLife(env: NodeJS.ProcessEnv): NodeJS.Timeout | undefined {
  if (!cluster.isWorker) return undefined;
  const everyMillis = Math.min(signMillis, watchdogMillis(env) / signsPerTimeout || signMillis);
  return setInterval(() => process.send?.({ alive: true } satisfies WorkerMessage), everyMillis).unref();
}

/** A terminal signals all its processes. A worker waits for SIGTERM from its parent process instead. */
function waitForStopSignal(env: NodeJS.ProcessEnv): Promise<StopSignal> {
  return new Promise((stop) => {
    if (!cluster.isWorker) return onStopSignals(env, { stop, hurry: endBy });
    process.once("SIGTERM", stop);
    for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => {});
  });
}
