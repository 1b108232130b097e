import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../platform/embedded-postgres/server.js";
import { createLifecycle } from "../../platform/lifecycle.js";
import { createLogger } from "../../platform/logger.js";
import type { MessageStep } from "../../platform/message-steps.js";
import { cpuMicrosOfFamily } from "./processor.js";

/** Memory of a measured process. */
export interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
  /** The most that the process has held in memory so far. */
  peakRss: number;
}

/** A server under measurement, in a process of its own. */
export interface Measured {
  port: number;
  /** Processor time so far, in microseconds. */
  cpuMicros(): Promise<number>;
  /** The same for all processes of its PostgreSQL; 0 if the system does not report it. */
  databaseCpuMicros(): Promise<number>;
  /** Memory in bytes, after a garbage collection. */
  memory(): Promise<Memory>;
  /** Notes from now on when messages pass their steps; costs a relay a few microseconds a message. */
  trace(): Promise<void>;
  /** When these messages passed their steps, by the machine's monotonic clock, in milliseconds. */
  stepsOf(messageIds: readonly string[]): Promise<Partial<Record<MessageStep, number>>[]>;
  /** Checks proofs of delay without a pause, on the threads that check them in a relay. */
  prove(on: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A relay; the bare servers beside it: of messages, of bytes that are thrown away, and of deliveries that are stored. */
export type Role = "node" | "floor" | "put" | "put-stored";

/** A PostgreSQL of the benchmark's own, with fsync on, in a temporary folder. */
export interface BenchEnvironment {
  createDatabase(name: string): Promise<string>;
  start(role: Role, env: Readonly<Record<string, string>>): Promise<Measured>;
  /** Registers what must be stopped as well; it may have been stopped before. */
  atEnd(stop: () => Promise<void>): void;
  /** Stops everything that was started here. */
  stop(): Promise<void>;
}

const settings = { max_connections: "200" };

export async function openBenchEnvironment(): Promise<BenchEnvironment> {
  const lifecycle = createLifecycle();
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-"));
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const postgres = await startEmbeddedPostgres({
      ...{ dataDir: folder, settings },
      logger: createLogger({ level: "error" }),
    });
    lifecycle.atEnd(() => postgres.stop());
    const postmaster = await postmasterPid(postgres.url);
    return {
      createDatabase: (name) => createDatabaseOn(postgres.url, name),
      async start(role, env) {
        const measured = await startMeasured(role, { ...env, DATA_DIR: folder }, () => cpuMicrosOfFamily(postmaster));
        lifecycle.atEnd(() => measured.stop());
        return measured;
      },
      atEnd: (stop) => lifecycle.atEnd(stop),
      stop: () => lifecycle.end(),
    };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}

async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("show data_directory");
  await client.end();
  return Number.parseInt(await readFile(path.join(rows[0].data_directory, "postmaster.pid"), "utf8"), 10);
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

async function startMeasured(
  role: string,
  env: Readonly<Record<string, string>>,
  databaseCpuMicros: () => Promise<number>,
): Promise<Measured> {
  const child = fork(process.argv[1] ?? "", ["bench-process", role], { env: { ...process.env, ...env } });
  const { port } = await ask<{ port: number }>(child);
  return {
    port,
    async cpuMicros() {
      child.send("processor");
      return ask<number>(child);
    },
    databaseCpuMicros,
    async memory() {
      child.send("memory");
      return ask<Memory>(child);
    },
    async trace() {
      child.send("trace");
      await ask(child);
    },
    async stepsOf(messageIds) {
      child.send([...messageIds]);
      return ask(child);
    },
    async prove(on) {
      child.send(on ? "prove" : "rest");
      await ask(child);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function ask<T>(child: ChildProcess): Promise<T> {
  return new Promise((settle, fail) => {
    const died = (): void => {
      child.off("message", onAnswer);
      fail(new Error("a measured process ended"));
    };
    const onAnswer = (answer: unknown): void => {
      child.off("exit", died);
      settle(answer as T);
    };
    child.once("message", onAnswer);
    child.once("exit", died);
  });
}
