import { ConfigError } from "../platform/config/config.js";

/** Describes a failure for an operator: one line for each problem, without a stack. */
export function describeProblem(problem: unknown): string {
  if (problem instanceof ConfigError) return problem.problems.map((line) => `configuration: ${line}`).join("\n");
  const lines: string[] = [];
  for (let next = problem; next !== undefined && lines.length < 5; next = (next as { cause?: unknown }).cause) {
    lines.push(textOf(next));
    if (!(next instanceof Error)) break;
  }
  return `mls-relay: ${lines.join(": ")}`;
}

function textOf(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const code = (problem as NodeJS.ErrnoException).code;
  return problem.message || code || problem.name;
}
