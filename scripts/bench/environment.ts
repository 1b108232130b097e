import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type Constants, constantsEnvironment } from "../../src/composition/config.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createLogger } from "../../src/platform/logger.js";
import { helperThreadOptions } from "../../src/process/helper-threads.js";
import { createLifecycle } from "../../src/process/lifecycle.js";
import { gibibyte } from "../../src/protocol/units.js";
import { type Served, startServed } from "../served.js";
import { benchDomain } from "./load-clients.js";
import { cpuMicrosOfFamily, microsPerTick } from "./processes.js";
import { Samples } from "./samples.js";

/** The measured server, in a separate process. */
export interface Measured {
  port: number;
  pid: number;
  /** Processor time so far, in microseconds. */
  cpuMicros(): Promise<number>;
  /** The same for all processes of its PostgreSQL; 0 if the system does not report it. */
  databaseCpuMicros(): Promise<number>;
  /** Sends the process the questions that `measured.js` answers, one after the other. */
  ask<T>(question: "memory" | "trace" | "steps"): Promise<T>;
  stop(): Promise<void>;
}

export interface Watched {
  samples: Samples;
  /** Shares of the machine's time: nothing ran; a process ran that has no part in the measurement. */
  idle: number;
  others: number;
}

/** A PostgreSQL for the benchmark only, with fsync on, in a temporary folder, and the servers that use it. */
export interface BenchEnvironment {
  createDatabase(name: string): Promise<string>;
  /** A relay as `npm run build` made it, on an empty database, with limits too high to matter unless `more` sets others. */
  startRelay(databaseUrl: string, more?: Readonly<Record<string, string>>): Promise<Measured>;
  /** The bare server that a relay is compared with. */
  startFloor(databaseUrl: string, more?: Readonly<Record<string, string>>): Promise<Measured>;
  /** What PostgreSQL, these processes and the machine wait for during the next seconds. */
  watchWaits(seconds: number, relay: Measured): Promise<Watched>;
  /** Stops everything that was started here. */
  stop(): Promise<void>;
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const answering = ["--import", new URL("measured.js", import.meta.url).href];
/** The arguments of Node.js for a relay that answers questions; more options of `serve` may follow. */
export const relayArgs: readonly string[] = [
  // A relay with a channel to its parent does not choose them itself.
  ...helperThreadOptions(),
  ...answering,
  fileOf("../../dist/src/cli/main.js"),
  "serve",
];
const floorArgs = ["--import", "tsx", ...answering, fileOf("floor.ts")];
const settings = { max_connections: "200" };

export async function openBenchEnvironment(): Promise<BenchEnvironment> {
  const lifecycle = createLifecycle();
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-"));
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const logger = createLogger({ level: "error" });
    const postgres = await startEmbeddedPostgres({ dataDir: folder, settings, logger });
    lifecycle.atEnd(() => postgres.stop());
    const postmaster = await postmasterPid(postgres.url);
    const start = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Measured> => {
      const served = await startServed(args, { env: { ...process.env, ...env, DATA_DIR: folder } });
      lifecycle.atEnd(() => served.stop());
      return measuredOf(served, () => cpuMicrosOfFamily(postmaster));
    };
    return {
      createDatabase: (name) => createDatabaseOn(postgres.url, name),
      startRelay: (databaseUrl, more = {}) =>
        start(relayArgs, { DATABASE_URL: databaseUrl, ...relaySettings, ...more }),
      startFloor: (databaseUrl, more = {}) => start(floorArgs, { DATABASE_URL: databaseUrl, ...more }),
      watchWaits: (seconds, relay) => watchWaits(postgres.url, seconds, relay),
      stop: () => lifecycle.end(),
    };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}

function measuredOf({ child, port, ended, stop }: Served, databaseCpuMicros: () => Promise<number>): Measured {
  const ask = async <T>(question: string): Promise<T> => {
    child.send(question);
    const [answer] = await Promise.race([once(child, "message"), ended]);
    return answer;
  };
  const cpuMicros = () => ask<number>("processor");
  return { port, pid: child.pid ?? 0, cpuMicros, databaseCpuMicros, ask, stop: () => stop() };
}

async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("show data_directory");
  await client.end();
  return Number.parseInt(await readFile(path.join(rows[0].data_directory, "postmaster.pid"), "utf8"), 10);
}

async function watchWaits(url: string, seconds: number, relay: Measured): Promise<Watched> {
  const spent = async () => {
    const [server, database] = await Promise.all([cpuMicrosOfFamily(relay.pid), relay.databaseCpuMicros()]);
    const { user, system } = process.cpuUsage();
    return { ...(await processorTimes()), ours: (server + database + user + system) / microsPerTick };
  };
  const before = await spent();
  const samples = await Samples.take({ url, seconds, threads: [relay.pid, process.pid] });
  const after = await spent();
  const all = after.all - before.all;
  const idle = (after.idle - before.idle) / all;
  return { samples, idle, others: 1 - idle - (after.ours - before.ours) / all };
}

/** Of the whole machine (proc_stat(5)). */
async function processorTimes(): Promise<{ idle: number; all: number }> {
  const text = await readFile("/proc/stat", "latin1").catch(() => "");
  const times = (/^cpu +(.*)$/m.exec(text)?.[1] ?? "").split(" ").map(Number);
  const [idle = 0, waitsForDisk = 0] = times.slice(3, 5);
  return { idle: idle + waitsForDisk, all: times.slice(0, 8).reduce((sum, one) => sum + one, 0) };
}

async function createDatabaseOn(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Constants that would disturb a measurement. */
export const roomyConstants: Constants = { bodyBytesPerCaller: 16 * gibibyte };

/** The environment of a measured relay, with limits too high to matter. */
export const relaySettings: Readonly<Record<string, string>> = {
  ...{ HOST: "127.0.0.1", PORT: "0", DOMAIN: benchDomain, BASE_URL: `http://${benchDomain}` },
  ...{ LOG_LEVEL: "error", MASTER_KEY: "5a".repeat(32) },
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
  UNAUTHENTICATED_STREAMS_PER_IP: "1000",
  CONNECTIONS_PER_IP: "1000000",
  ...constantsEnvironment(roomyConstants),
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  SEED_RATE_LIMITING_ENABLED: "false",
  SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
  SEED_STORAGE_MESSAGE_QUEUE_BYTES_LIMIT: "1099511627776",
};
