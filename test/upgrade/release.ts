import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

const project = fileURLToPath(new URL("../..", import.meta.url));
const startTimeoutMillis = 120_000;

/** A stored version of the relay (scripts/store-release.ts), unpacked. */
export interface Release {
  /** Starts it as a process. Throws what it wrote where it does not come up. */
  serve(env: Readonly<Record<string, string>>): Promise<RunningRelease>;
  remove(): Promise<void>;
}

export interface RunningRelease {
  url: string;
  /** Asks it to stop, and returns its exit code. */
  stop(): Promise<number | null>;
}

export async function unpackRelease(name: string): Promise<Release> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-release-"));
  const packed = await readFile(new URL(`releases/${name}.json.br`, import.meta.url));
  const files = JSON.parse(brotliDecompressSync(packed).toString("utf8")) as Record<string, string>;
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  await symlink(path.join(project, "node_modules"), path.join(folder, "node_modules"));
  return {
    serve: (env) => serve(path.join(folder, "src/cli/main.js"), env),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function serve(program: string, env: Readonly<Record<string, string>>): Promise<RunningRelease> {
  const child = spawn(process.execPath, [program, "serve"], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await announced(child);
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}

function announced(child: ChildProcess): Promise<string> {
  let written = "";
  return new Promise((settle, fail) => {
    const giveUp = () => fail(new Error(`the release did not start:\n${written}`));
    const timer = setTimeout(giveUp, startTimeoutMillis);
    child.once("close", () => {
      clearTimeout(timer);
      giveUp();
    });
    child.stderr?.on("data", (text: Buffer) => {
      written += text.toString();
      const url = / at (http\S+)/.exec(written)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      settle(url);
    });
  });
}
