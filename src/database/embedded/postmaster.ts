import { spawn } from "node:child_process";
import { open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mebibyte } from "../../protocol/units.js";
import type { Cluster } from "./data-folder.js";
import { holdServer } from "./reaper.js";
import { run, spawnOptions } from "./user.js";

/** A server process on the cluster's data folder. */
interface Postmaster {
  pid: number;
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
 * The server that runs on this data folder, if any. `postmaster.pid` survives a crash, and its process id may now
 * belong to another process; then the file is removed, because PostgreSQL itself would refuse to start.
 */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const file = path.join(cluster.data, "postmaster.pid");
  const text = await readFile(file, "utf8").catch(() => "");
  const [pid, , , port, , , , status] = text.split("\n").map((line) => line.trim());
  if (!pid || !isAlive(Number(pid))) return undefined;
  if (await livesIn(Number(pid), cluster.data))
    return { pid: Number(pid), port: Number(port), status: status ?? "starting" };
  if ((await readFile(file, "utf8").catch(() => "")) === text) await rm(file, { force: true });
  return undefined;
}

/**
 * Starts a server on the cluster and waits until it accepts connections, however long recovery takes. Returns undefined
 * if another process was faster or the port was taken: look for the server again. The server is not in this process's
 * group, so that Ctrl-C reaches only the relay.
 */
export async function spawnPostmaster(cluster: Cluster, wantedPort: number): Promise<Postmaster | undefined> {
  const log = await openLog(cluster.logFile);
  const startedAt = (await log.stat()).size;
  const child = spawn(cluster.binaries.postgres, ["-D", cluster.spelling, "-p", String(wantedPort)], {
    ...spawnOptions(cluster.user),
    cwd: cluster.data,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
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
  // It may recover for minutes, in which this process may be killed.
  const hold = child.pid === undefined ? undefined : await holdServer({ ...cluster, pid: child.pid });
  try {
    while (!ended) {
      await sleep(pollMillis);
      const found = await findPostmaster(cluster);
      if (found?.pid === child.pid && found?.status === "ready") return found;
    }
  } finally {
    hold?.release();
  }
  const said = failure?.message ?? (await readFrom(cluster.logFile, startedAt));
  if (passingFailures.test(said)) return undefined;
  throw new Error(`the embedded PostgreSQL did not start: ${said}`, { cause: failure });
}

/** Stops the server with a fast shutdown or, after a minute, an immediate one, and waits for its end. */
export async function endPostmaster(cluster: Cluster, pid: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    signalTo(pid, signal);
    for (let waited = 0; waited < fastShutdownMillis; waited += pollMillis) {
      if (!isAlive(pid) || !(await livesIn(pid, cluster.data))) return;
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

/** A server's working directory is its data folder; without /proc, its command line is compared instead. */
async function livesIn(pid: number, data: string): Promise<boolean> {
  if (process.platform === "linux") return (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === data;
  const { output } = await run("/bin/ps", ["-o", "command=", "-p", String(pid)], { user: undefined, cwd: "/" });
  return output.includes("postgres") && output.includes(data);
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
