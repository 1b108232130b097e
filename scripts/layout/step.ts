import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

/** One check. `run` returns the problems that it found, one line each. */
export interface Step {
  name: string;
  run: () => Promise<string[]>;
}

export interface Outcome {
  name: string;
  problems: string[];
  seconds: number;
}

const longestReport = 60;

/** Runs a step. An error that it throws counts as a problem. */
export async function runStep(step: Step): Promise<Outcome> {
  const begun = performance.now();
  const problems = await step.run().catch((failure: unknown) => [String((failure as Error)?.stack ?? failure)]);
  return { name: step.name, problems, seconds: (performance.now() - begun) / 1000 };
}

/** One line for the step, followed by its problems. */
export function describeOutcome({ name, problems, seconds }: Outcome): string {
  const line = `${problems.length === 0 ? "ok  " : "FAIL"}  ${name} (${seconds.toFixed(1)} s)`;
  const more = problems.length > longestReport ? [`… and ${problems.length - longestReport} more`] : [];
  return [line, ...[...problems.slice(0, longestReport), ...more].map((problem) => `      ${problem}`)].join("\n");
}

/** A step that runs a program. Its output is the problem if its exit code is not 0. */
export function program(name: string, command: string, args: readonly string[]): Step {
  return { name, run: () => outputOnFailure(command, args) };
}

function outputOnFailure(command: string, args: readonly string[]): Promise<string[]> {
  return new Promise((settle, fail) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => {
      const lines = Buffer.concat(output).toString("utf8").trimEnd().split("\n");
      settle(code === 0 ? [] : [...lines, `${command} ended with ${code}`]);
    });
  });
}
