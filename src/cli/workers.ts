import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, loadConfig } from "../composition/config.js";
import { startEmbeddedPostgres } from "../database/embedded/server.js";
import { createLogger, type Logger } from "../platform/logger.js";
import { createServiceManager, type ServiceManager, watchdogMillis } from "../process/service-manager.js";
import { onStopSignals, type StopSignal } from "../process/stop-signals.js";
import { endOnUncaughtErrors } from "../process/uncaught-errors.js";
import { doublingWait } from "../protocol/doubling-wait.js";
import { readSeeds } from "../settings/service.js";
import type { WorkerMessage } from "./relay-process.js";

const firstPauseMillis = 500;
const longestPauseMillis = 30_000;
/** After a worker has run for this long, the pause before the next start is short again. */
const stableMillis = 60_000;
/** Connections outside the pool: notifications, lease, leadership. */
const connectionsBeside = 4;
/** A serving worker that is silent for this many ticks of this process hangs. */
const hangsAfterTicks = 8;
const tickMillis = 1_000;
const connectionsOfOthers = 20;

/**
 * Runs `count` relays on one port, each a separate process and node, until a signal asks it to stop. Then all of them drain; a second
 * signal kills them. A worker that dies or hangs is replaced, after a pause that grows while workers keep dying. This process runs the
 * embedded PostgreSQL, if there is one, from before the first worker starts until after the last one has ended. Throws a
 * ConfigError, or an Error if a worker dies before any worker has served.
 */
export async function serveWithWorkers(count: number, env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  readSeeds(config.seeds);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  const embedded = config.databaseUrl === null ? await startDatabase(config, count, logger) : undefined;
  const given = embedded === undefined ? {} : { DATABASE_URL: embedded.url };
  const serviceManager = createServiceManager({ env, logger });
  const lifeSigns = createLifeSigns(watchdogMillis(env));
  const fleet = createFleet(
    count,
    { ...given, ...proofThreadsFor(count, config) },
    { logger, lifeSigns, serviceManager },
  );
  const drain = async (): Promise<void> => {
    await fleet.stop();
    await embedded?.stop();
  };
  const release = endOnUncaughtErrors({ logger, drain, graceSeconds: config.shutdownGraceSeconds });
  const watch = watchWorkers(lifeSigns, logger);
  try {
    await fleet.run();
  } finally {
    clearInterval(watch);
    await embedded?.stop();
    release();
  }
  logger.info("stopped");
}

function startDatabase(config: Config, count: number, logger: Logger) {
  const connections = count * (config.databasePoolSize + connectionsBeside) + connectionsOfOthers;
  const settings = { ...config.machinePreset?.postgresql, max_connections: String(Math.max(100, connections)) };
  return startEmbeddedPostgres({
    dataDir: config.dataDir,
    programs: config.embeddedPostgresBin,
    logger,
    settings,
  });
}

/** By default each worker would start a thread per core. With several workers, one thread each is enough. */
function proofThreadsFor(count: number, { proofWorkers }: Pick<Config, "proofWorkers">): Record<string, string> {
  return proofWorkers === 0 && count > 1 ? { PROOF_WORKERS: "1" } : {};
}

/** When each serving worker was last heard. */
type LifeSigns = ReturnType<typeof createLifeSigns>;

/** Silence is counted in ticks of this process, so no worker seems to hang after a pause of the whole machine. */
function createLifeSigns(timeoutMillis: number) {
  const lastSigns = new Map<Worker, { at: number; ticks: number }>();
  return {
    heard: (worker: Worker): void => void lastSigns.set(worker, { at: performance.now(), ticks: 0 }),
    gone: (worker: Worker): void => void lastSigns.delete(worker),
    /** Whether every worker was heard within the time that systemd's watchdog allows. */
    areRecent: (): boolean => [...lastSigns.values()].every(({ at }) => performance.now() - at < timeoutMillis),
    /** Must be called every second. Returns the workers that hang, each once. */
    tick(): Worker[] {
      for (const sign of lastSigns.values()) sign.ticks += 1;
      return [...lastSigns].filter(([, { ticks }]) => ticks === hangsAfterTicks).map(([worker]) => worker);
    },
  };
}

interface FleetDeps {
  logger: Logger;
  lifeSigns: LifeSigns;
  serviceManager: ServiceManager;
}

function createFleet(count: number, env: Record<string, string>, deps: FleetDeps) {
  const { logger, lifeSigns, serviceManager } = deps;
  const alive = new Set<Worker>();
  let [serving, everServed, stopping, deaths] = [0, false, false, 0];
  let failed: (problem: Error) => void = () => {};
  let emptied: () => void = () => {};

  const launch = (): void => {
    const startedAt = performance.now();
    const worker = cluster.fork(env);
    let serves = false;
    alive.add(worker);
    worker.on("message", (message: WorkerMessage) => {
      if (!stopping) lifeSigns.heard(worker);
      if ("alive" in message) return;
      [serves, everServed] = [true, true];
      serving += 1;
      if (serving < count) return;
      process.stderr.write(`${message.serving}\n  workers        ${count}\n`);
      void serviceManager.ready(`${count} workers serve`, lifeSigns.areRecent);
    });
    worker.on("error", (error) => logger.warn({ err: error }, "a worker cannot be reached"));
    worker.once("exit", (code, signal) => {
      alive.delete(worker);
      lifeSigns.gone(worker);
      serving -= serves ? 1 : 0;
      if (stopping) return alive.size === 0 ? emptied() : undefined;
      if (!everServed) return failed(new Error("a worker ended before it served; its output is above"));
      logger.error({ pid: worker.process.pid, code, signal }, "a worker died and will be replaced");
      void replace(performance.now() - startedAt);
    });
  };
  const replace = async (livedMillis: number): Promise<void> => {
    deaths = livedMillis > stableMillis ? 1 : deaths + 1;
    await sleep(doublingWait(deaths, { first: firstPauseMillis, longest: longestPauseMillis }));
    if (!stopping) launch();
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    for (const worker of alive) lifeSigns.gone(worker);
    await serviceManager.stopping();
    const empty = new Promise<void>((settle) => {
      emptied = settle;
    });
    if (alive.size === 0) return;
    signalAll(alive, "SIGTERM");
    await empty;
  };

  return {
    stop,
    async run(): Promise<void> {
      const stopRequested = new Promise<StopSignal>((settle, fail) => {
        failed = fail;
        onStopSignals(process.env, { stop: settle, hurry: () => signalAll(alive, "SIGKILL") });
      });
      for (let i = 0; i < count; i++) launch();
      try {
        logger.info({ signal: await stopRequested }, "stopping");
      } finally {
        await stop();
      }
    },
  };
}

function signalAll(workers: Iterable<Worker>, signal: NodeJS.Signals): void {
  for (const worker of workers) worker.process.kill(signal);
}

/** Kills workers that hang: their clients would wait, and now connect to another worker. */
function watchWorkers(lifeSigns: LifeSigns, logger: Logger): NodeJS.Timeout {
  return setInterval(() => {
    for (const worker of lifeSigns.tick()) {
      logger.error({ pid: worker.process.pid }, "a worker hangs and is killed");
      worker.process.kill("SIGKILL");
    }
  }, tickMillis);
}
