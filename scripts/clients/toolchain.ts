import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

/** One generator, and how its client is made and run; or a reader of the contract, and what it must do. */
export interface Toolchain {
  name: string;
  /** Whether it is quick enough for CI, which tries two of these in turn, or for `--long` only. */
  long: boolean;
  /** Why it cannot be tried on this machine; undefined if it can. */
  missing(): string | undefined;
  /** Generates, compiles and runs the client in an empty folder; throws if anything fails. */
  run(place: Place): Promise<void>;
}

export interface Place {
  project: string;
  folder: string;
  /** File with what the client is to do. */
  task: string;
}

const run = promisify(execFile);
const patienceMillis = 1_800_000;

export function contractOf(project: string, name = "openapi.json"): string {
  return `${project}/generated/${name}`;
}

/** Why one of these programs cannot be run; undefined if all can. */
export function absent(...commands: string[]): string | undefined {
  const missing = commands.filter((command) => spawnSync(command, ["--version"], { stdio: "ignore" }).error);
  return missing.length === 0 ? undefined : `${missing.join(" and ")} not installed`;
}

export async function demandDone(command: string, args: readonly string[], cwd: string): Promise<void> {
  const output = await demand(command, args, cwd);
  if (!output.trimEnd().endsWith("done")) throw new Error(`the client did not come to its end:\n${output}`);
}

/** Runs a program to its end and returns its output. The relay lives in this process, so nothing may block it. */
export async function demand(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await run(command, args, { cwd, timeout: patienceMillis, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (failure) {
    const { stdout = "", stderr = "" } = failure as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}: ${failure}\n${`${stdout}${stderr}`.slice(-4_000)}`);
  }
}
