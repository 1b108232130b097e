import { type ErrorId, errorCatalogue } from "../../generated/errors.js";

export { type ErrorId, errorCatalogue } from "../../generated/errors.js";

/** What a thrower may add to a catalogue entry. */
interface RelayErrorOptions {
  /** Named members of the body besides `error`, `message` and `code`; the catalogue lists those of each entry. */
  extras?: Readonly<Record<string, unknown>>;
  /** Response headers that only the thrower knows, such as Allow. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** The body of every failed answer, over HTTP, in a batch's item and in an error frame. */
interface ErrorBody {
  error: string;
  message: string;
  code: number;
  [extra: string]: unknown;
}

/**
 * The one error class. It carries an entry of the error catalogue; the HTTP layer turns it into status, headers and
 * body. The message is shown to the caller, so it never quotes a secret; `cause` is for the log alone.
 */
export class RelayError extends Error {
  readonly id: ErrorId;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(id: ErrorId, message: string, options: RelayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RelayError";
    this.id = id;
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
  }

  /** The HTTP status of the catalogue entry. */
  get status(): number {
    return errorCatalogue[this.id].status;
  }
}

/** The wire form of an error: `error`, `message`, `code` and the extras. */
export function errorBody(error: RelayError): ErrorBody {
  const entry = errorCatalogue[error.id];
  return { error: entry.error, message: error.message, code: entry.code, ...error.extras };
}

/** How an invalid member is reported, if not as INVALID_REQUEST for a member of the body. */
interface InvalidMemberOptions {
  /** The catalogue entry. */
  id?: ErrorId;
  /** The part of the request that holds the member. */
  part?: "body" | "header" | "query";
  /** Members of the answer's body besides `details`. */
  extras?: Readonly<Record<string, unknown>>;
}

/**
 * The error for one member of a request that has the form of the contract and a value that is not accepted. `problem`
 * continues a sentence that begins with the member's name: "must be 1 to 10".
 */
export function invalidMember(member: string, problem: string, options: InvalidMemberOptions = {}): RelayError {
  const { id = "INVALID_REQUEST", part = "body", extras } = options;
  const details = [{ path: `${part}/${member}`, message: problem }];
  return new RelayError(id, `${member} ${problem}`, { extras: { details, ...extras } });
}

/** How long an error asks to wait, in whole seconds, if it does. */
export function requestedSeconds({ extras, headers }: RelayError): number | undefined {
  const seconds = extras["retry_after"] ?? headers["Retry-After"];
  return seconds === undefined || seconds === null ? undefined : Math.max(0, Math.ceil(Number(seconds)));
}

/** The error of an overloaded server, with the time after which to ask again. */
export function overloaded(
  message: string,
  retryAfterSeconds: number,
  extras: Readonly<Record<string, unknown>> = {},
): RelayError {
  return new RelayError("OVERLOADED", message, { headers: { "Retry-After": String(retryAfterSeconds) }, extras });
}
