import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, constants, copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeSettings } from "../measure.js";
import { memoryOfFamilies } from "./processes.js";

/** A relay as an operator starts it, with the PostgreSQL that it brings. */
export interface ServedRelay {
  port: number;
  /** Memory of all its processes and of its PostgreSQL's, in bytes; null where the system does not say. */
  memory(): Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * Starts `mls-relay serve` with these options, in a temporary folder. It runs by a copy of Node.js: this process runs by the
 * same program, of which half would otherwise count as its own.
 */
export async function serveRelay(options: readonly string[]): Promise<ServedRelay> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-"));
  await chmod(folder, 0o711);
  const { DATABASE_URL: _given, ...settings } = nodeSettings("", { DATA_DIR: folder, DOMAIN: "relay.bench" });
  const { DATABASE_URL: _inherited, PRESET: _preset, ...inherited } = process.env;
  const program = path.join(folder, "node");
  await copyFile(process.execPath, program, constants.COPYFILE_FICLONE);
  const child = spawn(program, [process.argv[1] ?? "", "serve", ...options], {
    env: { ...inherited, ...settings, BASE_URL: "http://relay.bench" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await portOf(child.stderr, ended);
    const file = path.join(folder, "postgres", "data", "postmaster.pid");
    const postmaster = Number.parseInt(await readFile(file, "utf8"), 10);
    return { port, stop, memory: () => memoryOfFamilies([child.pid ?? 0, postmaster]) };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

/** Reads the port from what `serve` prints first. */
async function portOf(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<number> {
  let text = "";
  const printed = new Promise<number>((settle) => {
    output.on("data", (chunk: Buffer) => {
      text += chunk;
      const [, port] = / serves \S+ at \S+:(\d+)\s/.exec(text) ?? [];
      if (port !== undefined) settle(Number(port));
    });
  });
  const failed = ended.then(() => Promise.reject(new Error(`the relay did not start: ${text}`)));
  return Promise.race([printed, failed]);
}
