import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// What the scripts of package.json and the tools of `npm run lab` have in common.

export const project = fileURLToPath(new URL("..", import.meta.url));

export interface Described {
  about: string;
  /** The synopsis of its arguments, and what each means. */
  usage?: readonly string[];
}

export function explain(command: string, { about, usage = [] }: Described): string {
  return [`${command}: ${about}.`, ...usage.map((line) => `  ${line}`)].join("\n");
}

export function asksForHelp(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--help" || arg === "-h");
}

/** Builds what has changed. Returns the exit code. */
export function build(): number {
  return startNode(["--import", "tsx", "scripts/build/main.ts"]);
}

/** Runs a program of Node.js to its end. Returns its exit code. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  return spawnSync(process.execPath, args, { cwd: project, env, stdio: "inherit" }).status ?? 1;
}
