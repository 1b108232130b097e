import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseDatabaseUser, run } from "../../src/database/embedded/user.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { blocksOf, project } from "../manual/blocks.js";
import { programs } from "../support/programs.js";
import { until } from "../support/until.js";

export type Machine = "db1" | "db2";

/** Two servers of PostgreSQL on this machine, set up by the commands of the manual, and HAProxy before them. */
export interface DatabasePair {
  /** By HAProxy, as the manual spells it. */
  url: string;
  /**
   * Follows the block of the manual that begins so, the name of its machine first. Swapped, what it says of one machine is
   * done with the other. Gives what was printed.
   */
  follow(beginning: string, how?: { swapped?: boolean }): Promise<string>;
  startHaproxy(): Promise<void>;
  /** Where each server is, without HAProxy. */
  ports: Readonly<Record<Machine, number>>;
  /** Stops all processes of the server where they are, and lets them go on. */
  pause(machine: Machine): Promise<() => void>;
  /** Kills the server and all its processes at once, as a power cut does. */
  kill(machine: Machine): Promise<void>;
  /** Starts a server that was killed. */
  start(machine: Machine): Promise<void>;
  /** What a statement gives, as psql prints it. */
  ask(machine: Machine, sql: string): Promise<string>;
  stop(): Promise<void>;
}

interface Places {
  folder: string;
  ports: Record<Machine | "haproxy", number>;
}

const lookMillis = 20;
const page = "docs/how-to/failover.md";
const machines: readonly Machine[] = ["db1", "db2"];

export async function openDatabasePair(): Promise<DatabasePair> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-failover-"));
  const user = await chooseDatabaseUser(folder);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o755);
  const places: Places = {
    folder,
    ports: { db1: await findFreePort(), db2: await findFreePort(), haproxy: await findFreePort() },
  };
  const blocks = (await blocksOf(page)).map(({ commands }) => commands);
  const text = await readFile(path.join(project, page), "utf8");
  let haproxy: ChildProcess | undefined;

  const shell = async (commands: string): Promise<string> => {
    const bin = path.dirname(programs.pg_basebackup.find() ?? "");
    const script = `set -euo pipefail; export PATH=${bin}:$PATH\n${commands}`;
    const { succeeded, output } = await run("/bin/bash", ["-c", script], { user, cwd: folder });
    if (!succeeded) throw new Error(`${commands}\n${output}`);
    return output;
  };
  const kill = async (machine: Machine): Promise<void> => {
    const pids = await processesOf(path.join(folder, machine));
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    while (pids.some(isAlive)) await sleep(lookMillis);
  };
  const url = replaceNames(/DATABASE_URL=(\S+)/.exec(text)?.[1] ?? "", places);
  const answers = () =>
    shell(`psql '${url}' -Atc 'select 1'`).then(
      () => true,
      () => false,
    );
  return {
    url,
    async follow(beginning, { swapped = false } = {}) {
      const found = blocks.filter((commands) => commands.startsWith(beginning));
      if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} begin with ${beginning}`);
      const commands = swapped ? swap(found[0] ?? "") : (found[0] ?? "");
      return shell(replaceNames(commands, places));
    },
    async startHaproxy() {
      const config = path.join(folder, "haproxy.cfg");
      const script = path.join(folder, "takes-writes");
      await writeFile(config, replaceNames(blockAfter(text, "```haproxy\n"), places));
      await writeFile(script, blockAfter(text, "```\n#!/bin/sh"));
      await chmod(script, 0o755);
      haproxy = spawn(programs.haproxy.find() ?? "", ["-f", config, "-db"], { stdio: "ignore" });
      // It leads nowhere before its first check of the primary.
      await until(answers, "a statement is answered through HAProxy");
    },
    ports: places.ports,
    async pause(machine) {
      const pids = await processesOf(path.join(folder, machine));
      for (const pid of pids) sendSignal(pid, "SIGSTOP");
      return () => {
        for (const pid of pids) sendSignal(pid, "SIGCONT");
      };
    },
    kill,
    async start(machine) {
      const started = /^pg_ctl start.*$/m.exec(blocks.join("\n"))?.[0].replaceAll("db1", machine);
      await shell(replaceNames(`# ${machine}\n${started}`, places));
    },
    ask: (machine, sql) => shell(`psql -h ${folder} -p ${places.ports[machine]} -Atc "${sql}" postgres`),
    async stop() {
      for (const machine of machines) await kill(machine);
      if (haproxy !== undefined && haproxy.exitCode === null) {
        const ended = once(haproxy, "exit");
        haproxy.kill("SIGTERM");
        await ended;
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The manual's machines are folders and ports of this one. The first line names the machine of the commands. */
function replaceNames(commands: string, { folder, ports }: Places): string {
  const machine = /^# (db[12])$/m.exec(commands)?.[1] as Machine | undefined;
  let text = commands
    .replaceAll("127.0.0.1:5000", `127.0.0.1:${ports.haproxy}`)
    .replaceAll("/etc/haproxy/takes-writes", path.join(folder, "takes-writes"));
  for (const name of machines) {
    text = text
      .replaceAll(`-h ${name}.example`, `-h 127.0.0.1 -p ${ports[name]} -k ${folder}`)
      .replaceAll(`host=${name}.example port=5432`, `host=127.0.0.1 port=${ports[name]}`)
      .replaceAll(`${name}.example:5432`, `127.0.0.1:${ports[name]}`);
  }
  if (machine === undefined) return text;
  return text
    .replaceAll("/var/lib/postgresql/relay", path.join(folder, machine))
    .replaceAll("psql postgres", `psql -h ${folder} -p ${ports[machine]} postgres`);
}

function swap(commands: string): string {
  return commands.replace(/db1|db2/g, (name) => (name === "db1" ? "db2" : "db1"));
}

/** What a block of the page holds that begins so, fence included. */
function blockAfter(text: string, beginning: string): string {
  const start = text.indexOf(beginning) + beginning.indexOf("\n") + 1;
  return text.slice(start, text.indexOf("```", start));
}

/** The server on a data folder, and the processes that it has started. */
async function processesOf(data: string): Promise<number[]> {
  const file = await readFile(path.join(data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(file.split("\n")[0]);
  if (!(pid > 0) || !isAlive(pid)) return [];
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return [pid, ...children.split(" ").filter(Boolean).map(Number)];
}

function isAlive(pid: number): boolean {
  return sendSignal(pid, 0);
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
