import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { cpuMicrosOfFamily } from "../processor.js";

/** A nats-server of the benchmark's own, with JetStream on disk. */
export interface NatsServer {
  port: number;
  /** Its name, its version, and when it syncs what it has accepted. */
  description: string;
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

const program = "nats-server";
const listening = /Listening for client connections on .*:(\d+)/;
const startMillis = 20_000;
const runFile = promisify(execFile);

/** Starts the nats-server of this machine; undefined where none is installed. */
export async function startNatsServer(): Promise<NatsServer | undefined> {
  const version = await versionOf();
  if (version === undefined) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-nats-"));
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const file = path.join(folder, "nats.conf");
    const syncsAlways = await writeConfig(file, folder);
    child = spawn(program, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    const port = await portOf(child);
    const { pid = 0 } = child;
    const durability = syncsAlways ? "synced with every message" : "synced every two minutes";
    const description = `NATS JetStream ${version}, ${durability}`;
    return { port, description, cpuMicros: () => cpuMicrosOfFamily(pid), stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

/** For example "2.15.2". */
async function versionOf(): Promise<string | undefined> {
  try {
    const { stdout } = await runFile(program, ["--version"]);
    return /v(\d[\w.-]*)/.exec(stdout)?.[1] ?? stdout.trim();
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  }
}

/** Version 2.10 and later can sync with every message; an earlier one refuses such a configuration. */
async function writeConfig(file: string, folder: string): Promise<boolean> {
  const store = `store_dir: ${JSON.stringify(path.join(folder, "store"))}`;
  const config = (sync: string): string => `listen: "127.0.0.1:-1"\njetstream {\n  ${store}\n  ${sync}\n}\n`;
  await writeFile(file, config("sync_interval: always"));
  try {
    await runFile(program, ["-c", file, "-t"]);
    return true;
  } catch {
    await writeFile(file, config(""));
    return false;
  }
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((settle, fail) => {
    const giveUp = (reason: string): void => fail(new Error(`${program} ${reason}`));
    const timer = setTimeout(() => giveUp("did not start in time"), startMillis);
    child.once("exit", () => giveUp("ended"));
    child.once("error", fail);
    // Its log is read to the end, or it would wait for a reader.
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
      const port = listening.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      settle(Number(port));
    });
  });
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
