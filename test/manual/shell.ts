import { spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { transpiled } from "../support/transpiled.js";

interface ShellResult {
  code: number | null;
  output: string;
}

const longestMillis = 240_000;

/** A folder with the launcher on the PATH and a home of its own, in which the commands of the manual are run. */
export interface Shell {
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Runs commands as a reader does who types them, except that the first one that fails ends it. */
  run(commands: string): Promise<ShellResult>;
  /** Runs a command that serves until `ready` matches what it writes, then ends it and all that it started. */
  runUntil(command: string, ready: RegExp): Promise<ShellResult>;
}

export async function createShell(folder: string, env: Readonly<Record<string, string>>): Promise<Shell> {
  const programs = path.join(folder, "bin");
  await mkdir(programs, { recursive: true });
  const launcher = `#!/bin/sh\nexec "${process.execPath}" "${transpiled("src/cli/main.ts")}" "$@"\n`;
  await writeFile(path.join(programs, "mls-relay"), launcher);
  await chmod(path.join(programs, "mls-relay"), 0o755);
  // A refusal of the relay fails the block, which curl does only when it is asked to.
  const curl = `#!/bin/sh\nPATH=\${PATH#*:} exec curl --fail-with-body --silent --show-error "$@"\n`;
  await writeFile(path.join(programs, "curl"), curl);
  await chmod(path.join(programs, "curl"), 0o755);
  // Most of a command's time goes into loading the code, which later commands find compiled (Node.js 22 and later).
  const cache = { NODE_COMPILE_CACHE: path.join(path.dirname(folder), "compiled") };
  const all = { HOME: folder, ...cache, PATH: `${programs}:${process.env["PATH"] ?? ""}`, ...env };
  return {
    folder,
    env: all,
    run: (commands) => runShell(commands, { folder, env: all }),
    runUntil: (command, ready) => runShell(command, { folder, env: all, ready }),
  };
}

function runShell(
  commands: string,
  { folder, env, ready }: { folder: string; env: Readonly<Record<string, string>>; ready?: RegExp },
): Promise<ShellResult> {
  return new Promise((settle, fail) => {
    const script = `set -euo pipefail\n${commands}\n`;
    // A process group of its own, so that what the shell has started ends with it.
    const child = spawn("bash", ["-c", script], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let isReady = false;
    const end = (signal: NodeJS.Signals) => {
      try {
        process.kill(-(child.pid ?? 0), signal);
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(() => end("SIGKILL"), longestMillis);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => {
        output += text.toString();
        if (isReady || ready?.test(output) !== true) return;
        isReady = true;
        end("SIGTERM");
      });
    }
    child.on("error", fail);
    child.on("close", (code) => {
      clearTimeout(timer);
      settle({ code: isReady ? 0 : code, output });
    });
  });
}
