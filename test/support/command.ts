import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type Command, CommanderError } from "commander";
import { describeProblem } from "../../src/cli/problem.js";
import { createProgram } from "../../src/cli/program.js";
import { printError } from "../../src/platform/print.js";
import { transpiled } from "./transpiled.js";

const relayProgram = transpiled("src/cli/main.ts");
/** What `npm run demo` runs. */
export const demoProgram = transpiled("scripts/demo/main.ts");
const readyTimeoutMillis = 300_000;
const workTimeoutMillis = 240_000;

/** How a command ended, and its output. */
export interface CommandResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The command line tool in a separate process, with these variables and no other variables of the relay. */
export interface RunningCommand {
  pid: number;
  /** Resolves with the match of the pattern on standard error. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same on standard output, for commands that work for some minutes before they print it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Writes to its standard input, like a person who types. */
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<CommandResult>;
}

export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = relayProgram,
): RunningCommand {
  const own = { PATH: process.env["PATH"] ?? "", ...env };
  const child = spawn(process.execPath, [program, ...args], { env: own });
  const written = collect(child);
  const ended = new Promise<CommandResult>((settle, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) => settle({ code, signal, ...written }));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void child.kill(signal),
    seen: (pattern) => waitFor({ child, written, pattern, ended }, { on: "stderr", millis: readyTimeoutMillis }),
    printed: (pattern) => waitFor({ child, written, pattern, ended }, { on: "stdout", millis: workTimeoutMillis }),
  };
}

export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = relayProgram,
): Promise<CommandResult> {
  return startCommand(args, env, program).ended;
}

/**
 * Runs a command in this process, which saves starting a process: for commands that end without a signal, and for tests
 * that need more than a process would tell. Only one at a time.
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Pick<CommandResult, "code" | "stdout" | "stderr">> {
  const before = { env: process.env, log: console.log, error: console.error };
  const written = { stdout: "", stderr: "" };
  process.env = { PATH: process.env["PATH"] ?? "", ...env };
  console.log = (line: unknown) => {
    written.stdout += `${line}\n`;
  };
  console.error = (line: unknown) => {
    written.stderr += `${line}\n`;
  };
  try {
    await stayingAlive(await createProgram()).parseAsync(args, { from: "user" });
    return { code: 0, ...written };
  } catch (problem) {
    printError(problem instanceof CommanderError ? problem.message : describeProblem(problem));
    return { code: 1, ...written };
  } finally {
    process.env = before.env;
    console.log = before.log;
    console.error = before.error;
  }
}

/** Commander ends the process for an invalid argument, unless every command is told to throw. */
function stayingAlive(command: Command): Command {
  for (const inner of command.commands) stayingAlive(inner);
  return command.exitOverride().configureOutput({ writeErr() {} });
}

function collect(child: ChildProcessWithoutNullStreams): { stdout: string; stderr: string } {
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text;
  });
  return written;
}

async function waitFor(
  deps: {
    child: ChildProcessWithoutNullStreams;
    written: { stdout: string; stderr: string };
    pattern: RegExp;
    ended: Promise<CommandResult>;
  },
  { on, millis }: { on: "stdout" | "stderr"; millis: number },
): Promise<RegExpExecArray> {
  const { child, written, pattern, ended } = deps;
  const deadline = AbortSignal.timeout(millis);
  for (;;) {
    const match = pattern.exec(written[on]);
    if (match !== null) return match;
    if (deadline.aborted || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${pattern} did not appear:\n${written.stderr}\n${written.stdout}`);
    }
    await Promise.race([new Promise((settle) => child[on].once("data", settle)), ended, aborted(deadline)]);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => signal.addEventListener("abort", () => settle(), { once: true }));
}
