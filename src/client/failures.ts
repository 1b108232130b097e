import type { ErrorName } from "../../generated/errors.js";

/** The relay answered with an error of the catalogue, or the answer did not come from a relay. */
export class AnswerError extends Error {
  /** Id of the operation that was called. */
  readonly operation: string;
  /** HTTP status. */
  readonly status: number;
  /** The name in the error catalogue; `UNKNOWN` if the answer does not have the contract's form. */
  readonly error: ErrorName | (string & Record<never, never>);
  /** The number in the error catalogue; 0 if the answer does not have the contract's form. */
  readonly code: number;
  /** Further members of the body, such as `limit`, `reset_at`, `details`. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** The value of the header Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(operation: string, answer: { status: number; headers: Headers; body: unknown }) {
    const { error, code, message, ...extras } = membersOf(answer.body);
    const name = typeof error === "string" ? error : "UNKNOWN";
    super(`${operation}: ${answer.status} ${name}${typeof message === "string" ? `: ${message}` : ""}`);
    this.name = "AnswerError";
    this.operation = operation;
    this.status = answer.status;
    this.error = name;
    this.code = typeof code === "number" ? code : 0;
    this.extras = extras;
    this.retryAfterSeconds = secondsIn(answer.headers.get("retry-after"));
  }
}

/** No answer arrived: the relay could not be reached, the connection broke, or the call timed out. */
export class ConnectionError extends Error {
  constructor(operation: string, cause: unknown) {
    super(`${operation}: no answer from the relay`, { cause });
    this.name = "ConnectionError";
  }
}

/** Whether an error is a relay's answer with this catalogue name. */
export function isAnswer<N extends ErrorName>(failure: unknown, error: N): failure is AnswerError & { error: N } {
  return failure instanceof AnswerError && failure.error === error;
}

function membersOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
}

/** The only form of RFC 9110 that the contract uses: seconds. */
function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
