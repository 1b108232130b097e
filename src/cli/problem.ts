import { ConfigError } from "../platform/config/variables.js";
import { RelayError } from "../protocol/errors.js";
import { adviceForDatabase, explainSystemError } from "./system-error.js";

const maxCauses = 5;
/** The text of every failure of `fetch`; its cause says what happened. */
const saysNothing = "fetch failed";

/** A failure in one line, and what the operator can do next if it comes from the system. */
interface Problem {
  message: string;
  next?: string | undefined;
}

/**
 * Describes a failure for an operator: the problem in one line, the next step in another, and a stack only on request.
 */
export function describeProblem(problem: unknown, { withStack = false }: { withStack?: boolean } = {}): string {
  if (problem instanceof ConfigError) return problem.problems.map((line) => `configuration: ${line}`).join("\n");
  const { message, next } = explainProblem(problem);
  const lines = [`mls-relay: ${message}`, ...(next === undefined ? [] : [`  -> ${next}`])];
  const stacks = withStack ? causesOf(problem).map(stackOf) : [];
  return [...lines, ...stacks].join("\n");
}

export function explainProblem(problem: unknown): Problem {
  const causes = causesOf(problem);
  const explained = causes.flatMap((cause) => (cause instanceof Error ? (explainSystemError(cause) ?? []) : []));
  const message = causes
    .map(textOf)
    .filter((text, i, all) => text !== saysNothing && text !== all[i - 1])
    .join(": ");
  const database = causes.find((cause) => cause instanceof RelayError && cause.id === "DATABASE_UNAVAILABLE");
  return { message, next: database === undefined ? explained[0]?.next : adviceForDatabase(database) };
}

/** A failure and its causes, the outermost first. */
function causesOf(problem: unknown): unknown[] {
  const causes: unknown[] = [];
  for (
    let next = problem;
    next !== undefined && causes.length < maxCauses;
    next = (next as { cause?: unknown }).cause
  ) {
    causes.push(next);
    if (!(next instanceof Error)) break;
  }
  return causes;
}

function textOf(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const explained = explainSystemError(problem);
  if (explained !== undefined) return `${explained.cause} (${(problem as NodeJS.ErrnoException).code})`;
  return problem.message || (problem as NodeJS.ErrnoException).code || problem.name;
}

function stackOf(problem: unknown): string {
  return problem instanceof Error ? (problem.stack ?? "") : "";
}
