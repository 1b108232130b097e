import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chooseDatabaseUser, type DatabaseUser } from "../../src/database/embedded/user.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { until } from "./until.js";

/** A PostgreSQL with Citus that a test may kill. */
export interface Machine {
  port: number;
  /** Kills it: it recovers from its log when it starts again. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface Machines {
  /** The maintenance database of the coordinator, in which the workers are registered. */
  url: string;
  workers: readonly Machine[];
  stop(): Promise<void>;
}

const debianFolder = "/usr/lib/postgresql";

/** The folder with the programs of a PostgreSQL that has Citus; undefined if there is none. */
export function findCitusPrograms(): string | undefined {
  const given = process.env["TEST_CITUS_PROGRAMS"];
  if (given) return given;
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const found = versions.find((version) => existsSync(path.join(debianFolder, version, "lib/citus.so")));
  return found && path.join(debianFolder, found, "bin");
}

/** A coordinator and this many workers, on separate ports and in a separate folder. */
export async function startMachines(programs: string, workerCount: number): Promise<Machines> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-citus-"));
  await chmod(folder, 0o711);
  const user = await chooseDatabaseUser(folder);
  const [coordinator, ...workers] = await Promise.all(
    Array.from({ length: workerCount + 1 }, (_, i) => createMachine(programs, path.join(folder, String(i)), user)),
  );
  if (coordinator === undefined) throw new Error("there is a coordinator");
  const stop = async (): Promise<void> => {
    await Promise.all([coordinator, ...workers].map((machine) => machine.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const machine of [coordinator, ...workers]) {
      await machine.start();
      await ask(machine.port, "create extension citus");
    }
    await ask(coordinator.port, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (const { port } of workers) await ask(coordinator.port, `select citus_add_node('127.0.0.1', ${port})`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: urlOf(coordinator.port), workers, stop };
}

const settings = (port: number): Record<string, string> => ({
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_preload_libraries: "citus",
  max_connections: "100",
  max_prepared_transactions: "100",
  fsync: "off",
  "citus.node_conninfo": "sslmode=disable",
});

async function createMachine(programs: string, data: string, user: DatabaseUser | undefined): Promise<Machine> {
  const port = await findFreePort();
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
  execFileSync(path.join(programs, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres", "-N", "--encoding=UTF8"], {
    ...user,
    cwd: "/",
    stdio: "ignore",
  });
  let child: ChildProcess | undefined;
  return {
    port,
    async start() {
      const options = Object.entries(settings(port)).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      child = spawn(path.join(programs, "postgres"), ["-D", data, ...options], { ...user, cwd: "/", stdio: "ignore" });
      await until(() => answers(port), "a PostgreSQL with Citus answers");
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      // PostgreSQL's immediate shutdown: all of its processes quit as in a crash.
      child.kill("SIGQUIT");
      await ended;
    },
  };
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

async function ask(port: number, statement: string): Promise<void> {
  const db = createDatabase({ url: urlOf(port), poolSize: 1 });
  try {
    await db.run(statement);
  } finally {
    await db.close();
  }
}

function answers(port: number): Promise<boolean> {
  return ask(port, "select 1").then(
    () => true,
    () => false,
  );
}
