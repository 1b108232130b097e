/** What a log line may say about an error that nobody expected. */
export interface Fault {
  name: string;
  code?: string;
  message?: string;
  stack?: string[];
  cause?: Fault;
}

const deepestCause = 5;

/**
 * Describes an error for the log. A database error's message and detail quote values, so of those only the SQLSTATE,
 * the constraint's name and the stack are kept.
 */
export function describeFault(error: unknown, depth = 0): Fault {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, severity, constraint } = error as { code?: unknown; severity?: unknown; constraint?: unknown };
  const fault: Fault = { name: error.name };
  if (typeof code === "string") fault.code = code;
  if (severity === undefined) fault.message = error.message;
  else if (typeof constraint === "string") fault.message = `constraint ${constraint}`;
  fault.stack = framesOf(error);
  if (error.cause !== undefined && depth < deepestCause) fault.cause = describeFault(error.cause, depth + 1);
  return fault;
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string[] {
  const lines = (error.stack ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("at ")).slice(0, 12);
}
