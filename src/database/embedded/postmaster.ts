import { spawn } from "node:child_process";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mebibyte } from "../../protocol/units.js";
import type { Cluster } from "./data-folder.js";
import { isLocked, openLockFile, tryLock } from "./folder-lock.js";
import { holdServer } from "./reaper.js";
import { leadWithCause } from "./start-failure.js";
import { run, spawnOptions } from "./user.js";

/** A server process on the cluster's data folder. */
export interface Postmaster {
  pid: number;
  /** Whether the process id means this server here: not if it runs in another container. */
  isHere: boolean;
  port: number;
  /** Its state from `postmaster.pid`: starting, ready, stopping, standby. */
  status: string;
}

const logLimitBytes = 5 * mebibyte;
const pollMillis = 25;
const fastShutdownMillis = 60_000;

// Errors caused by another process on the same folder, or by a process that took the port: worth another attempt.
const passingFailures = /lock file .* already exists|pre-existing shared memory block|Address already in use/i;

/**
 * The server that runs on this data folder, if any, also one in another container. `postmaster.pid` survives a crash, so
 * the lock decides; without one, its process must be alive and work in this folder.
 */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const locked = await isLocked(cluster.data);
  if (locked === false) return undefined;
  const found = await readPostmaster(cluster);
  return locked === true || found.isHere ? found : undefined;
}

async function readPostmaster(cluster: Cluster): Promise<Postmaster> {
  const text = await readFile(pidFile(cluster), "utf8").catch(() => "");
  const [pid, , , port, , , , status] = text.split("\n").map((line) => line.trim());
  const isHere = Number(pid) > 0 && isAlive(Number(pid)) && (await livesIn(Number(pid), cluster));
  return { pid: Number(pid), isHere, port: Number(port), status: status ?? "starting" };
}

function pidFile({ data }: Cluster): string {
  return path.join(data, "postmaster.pid");
}

/**
 * Starts a server on the cluster and waits until it accepts connections, however long recovery takes. Returns undefined
 * if another process was faster or the port was taken: look for the server again. The server is not in this process's
 * group, so that Ctrl-C reaches only the relay.
 */
export async function spawnPostmaster(cluster: Cluster, wantedPort: number): Promise<Postmaster | undefined> {
  const lock = await openLockFile(cluster.data);
  if ((await tryLock(lock, "exclusive")) === false) {
    await lock.close();
    return undefined;
  }
  // Left by a server that has ended. PostgreSQL would refuse to start if its process id now belongs to another process.
  if (!(await readPostmaster(cluster)).isHere) await rm(pidFile(cluster), { force: true });
  const log = await openLog(cluster.logFile);
  const startedAt = (await log.stat()).size;
  const child = spawn(cluster.binaries.postgres, ["-D", cluster.spelling, "-p", String(wantedPort)], {
    ...spawnOptions(cluster.user),
    cwd: cluster.data,
    detached: true,
    stdio: ["ignore", log.fd, log.fd, lock.fd],
  });
  let failure: Error | undefined;
  let ended = false;
  child.on("error", (error) => {
    failure = error;
    ended = true;
  });
  child.once("exit", () => {
    ended = true;
  });
  child.unref();
  await log.close();
  await lock.close();
  // It may recover for minutes, in which this process may be killed.
  const hold = child.pid === undefined ? undefined : await holdServer({ ...cluster, pid: child.pid, isHere: true });
  try {
    while (!ended) {
      await sleep(pollMillis);
      const found = await readPostmaster(cluster);
      if (found.pid === child.pid && found.status === "ready") return { ...found, isHere: true };
    }
  } finally {
    hold?.release();
  }
  const said = failure?.message ?? (await readFrom(cluster.logFile, startedAt));
  if (passingFailures.test(said)) return undefined;
  throw new Error(`the embedded PostgreSQL did not start: ${leadWithCause(said)}`, { cause: failure });
}

/** Stops the server with a fast shutdown or, after a minute, an immediate one, and waits for its end. */
export async function endPostmaster(cluster: Cluster, pid: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    signalTo(pid, signal);
    for (let waited = 0; waited < fastShutdownMillis; waited += pollMillis) {
      if (!isAlive(pid) || !(await livesIn(pid, cluster))) return;
      await sleep(pollMillis);
    }
  }
  throw new Error(`the embedded PostgreSQL (process ${pid}) did not stop`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * A server's working directory is its data folder, by whatever path; without /proc, its command line is compared instead.
 * Root in a container cannot see the directory of another account's process, but that account can.
 */
async function livesIn(pid: number, { data, user }: Cluster): Promise<boolean> {
  if (process.platform !== "linux") {
    const { output } = await run("/bin/ps", ["-o", "command=", "-p", String(pid)], { user: undefined, cwd: "/" });
    return output.includes("postgres") && output.includes(data);
  }
  try {
    const [one, other] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(data)]);
    return one.ino === other.ino && one.dev === other.dev;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || user === undefined) return false;
    return (await run("/bin/sh", ["-c", '[ "/proc/$0/cwd" -ef . ]', String(pid)], { user, cwd: data })).succeeded;
  }
}

/** The log is appended to; past its limit a new one begins, and one older log is kept. */
async function openLog(file: string) {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logLimitBytes) await rename(file, `${file}.old`);
  return open(file, "a", 0o600);
}

async function readFrom(file: string, start: number): Promise<string> {
  const text = (await readFile(file)).subarray(start).toString().trim();
  return text.slice(-2000) || "it ended without any output";
}
