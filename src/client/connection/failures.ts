import type { ErrorName } from "../../../generated/errors.js";
import { fits } from "../runtime/contract-shapes.js";

/** The relay refused: it answered with an error in the contract's form. */
export class AnswerError extends Error {
  /** Id of the operation that was called. */
  readonly operation: string;
  /** HTTP status. */
  readonly status: number;
  /** The name in the error catalogue. */
  readonly error: ErrorName | (string & Record<never, never>);
  /** The number in the error catalogue. */
  readonly code: number;
  /** Further members of the body, such as `limit`, `reset_at`, `details`. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** The value of the header Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(operation: string, answer: { status: number; headers: Headers; body: ContractError }) {
    const { error, code, message, ...extras } = answer.body;
    super(`${operation}: ${answer.status} ${error}: ${message}`);
    this.name = "AnswerError";
    this.operation = operation;
    this.status = answer.status;
    this.error = error;
    this.code = code;
    this.extras = extras;
    this.retryAfterSeconds = secondsIn(answer.headers);
  }
}

/**
 * No answer of a relay arrived: it could not be reached, the connection broke, the call timed out, or something between
 * answered in its place, such as a proxy. The message and `cause` say which.
 */
export class ConnectionError extends Error {
  /** HTTP status of what answered in the relay's place. */
  readonly status: number | undefined;
  /** The header Retry-After of that answer. */
  readonly retryAfterSeconds: number | undefined;

  constructor(operation: string, cause: unknown) {
    super(`${operation}: no answer from the relay: ${reasonOf(cause)}`, { cause });
    this.name = "ConnectionError";
    const answered = cause instanceof NoAnswer ? cause : undefined;
    this.status = answered?.status;
    this.retryAfterSeconds = answered?.retryAfterSeconds;
  }
}

/** Something answered that is not a relay. */
export class NoAnswer extends Error {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { status, headers }: { status: number; headers: Headers }) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = secondsIn(headers);
  }
}

/** Whether an error is a relay's answer with this catalogue name. */
export function isAnswer<N extends ErrorName>(failure: unknown, error: N): failure is AnswerError & { error: N } {
  return failure instanceof AnswerError && failure.error === error;
}

/** A relay asks for no longer wait, and what answers in its place, such as a proxy, does not know when the relay is back. */
const longestWaitSeconds = { relay: 3_600, other: 300 };

/** How long what answered asks to wait, within what is sensible; `undefined` if it does not. */
export function requestedSeconds(failure: unknown): number | undefined {
  const isRelay = failure instanceof AnswerError;
  if (!isRelay && !(failure instanceof ConnectionError)) return undefined;
  if (failure.retryAfterSeconds === undefined) return undefined;
  return Math.min(failure.retryAfterSeconds, isRelay ? longestWaitSeconds.relay : longestWaitSeconds.other);
}

interface ContractError {
  error: string;
  code: number;
  message: string;
  [extra: string]: unknown;
}

/** Proxies answer with JSON, too, but not with a name and a number of the catalogue. */
export function isContractError(body: unknown): body is ContractError {
  if (!fits(body, { error: "s", code: "n", message: "s" })) return false;
  const { error, code } = body as ContractError;
  return /^[A-Z][A-Z0-9_]*$/.test(error) && Number.isInteger(code) && code >= 1_000;
}

/** The innermost cause, which names what is wrong: a certificate, a name that does not resolve, a closed port. */
function reasonOf(cause: unknown): string {
  let innermost = cause;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (!(innermost instanceof Error)) return String(innermost);
  const { code } = innermost as { code?: unknown };
  return innermost.message || String(code ?? innermost.name);
}

/** The only form of RFC 9110 that the contract uses: seconds. */
function secondsIn(headers: Headers): number | undefined {
  const value = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
