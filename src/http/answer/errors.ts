import type { ServerResponse } from "node:http";
import { translateDatabaseError } from "../../database/errors.js";
import type { Logger } from "../../platform/logger.js";
import { isOutOfFiles } from "../../platform/out-of-files.js";
import { errorBody, errorCatalogue, RelayError, requestedSeconds } from "../../protocol/errors.js";
import type { RequestContext } from "../request/request-context.js";
import { sendJson } from "./answer.js";
import { createLogSampling } from "./log-sampling.js";

/** Returns how a JSON answer breaks the contract, or undefined. */
export type AnswerCheck = (context: RequestContext, answer: { status: number; body?: unknown }) => Promise<unknown>;

/** Answers a request with what was thrown, as an error of the catalogue. The answer is checked if a check is given. */
export type AnswerError = (context: RequestContext, thrown: unknown, check?: AnswerCheck | null) => void;

/** Turns every error into an entry of the catalogue, and answers as that entry says, with the headers set before. */
export function createErrorAnswer(deps: {
  logger: Logger;
  clock: { nowSeconds(): number };
  /** The realm of WWW-Authenticate: the relay's domain. */
  realm: string;
}): AnswerError {
  const sampling = createLogSampling({ ...deps, omittedMessage: "more requests failed than are logged" });
  const answerError: AnswerError = (context, thrown, check = null) => {
    const error = asRelayError(thrown, context);
    const { res } = context;
    context.error = error.id;
    const isFault = error.id === "INTERNAL" || error.cause !== undefined;
    if (isFault && sampling.admits(`${context.operation ?? "none"} ${error.id}`)) logFault(deps.logger, context, error);
    if (res.headersSent) return void res.destroy();
    if (check === null) return sendError(context, error, deps.realm);
    const answer = { status: error.status, body: errorBody(error) };
    const finish = (fault: unknown): void =>
      fault === undefined ? sendError(context, error, deps.realm) : answerError(context, fault);
    check(context, answer).then(finish, (fault: unknown) => answerError(context, fault));
  };
  return answerError;
}

function sendError({ req, res }: RequestContext, error: RelayError, realm: string): void {
  setErrorHeaders(error, res, challenge(req.headers.authorization, realm));
  sendJson(res, error.status, errorBody(error));
}

function asRelayError(thrown: unknown, context: RequestContext): RelayError {
  if (isOutOfFiles(thrown)) return outOfFiles(thrown);
  const error = translateDatabaseError(thrown);
  if (error instanceof RelayError) return error.id === "INTERNAL" ? internal(context, error) : error;
  return context.isHandled || !isClientError(error) ? internal(context, error) : badPath(error);
}

/** Whether Express refused a request. */
function isClientError(error: unknown): error is object {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500;
}

function badPath(error: object): RelayError {
  const problem = error instanceof URIError ? "is not well encoded" : "is not acceptable";
  return new RelayError("INVALID_REQUEST", `the request's path ${problem}`, {
    extras: { details: [{ path: "path", message: problem }] },
  });
}

function outOfFiles(cause: unknown): RelayError {
  const headers = { "Retry-After": "1" };
  return new RelayError("OVERLOADED", "this node has as many open files as it may have", { headers, cause });
}

function internal({ requestId }: RequestContext, cause: unknown): RelayError {
  return new RelayError("INTERNAL", "the server made a mistake", { extras: { request_id: requestId }, cause });
}

/** The logger describes the cause without the values that a database error quotes. */
function logFault(logger: Logger, { requestId, operation, route }: RequestContext, error: RelayError): void {
  const about = { request_id: requestId, operation, route, error: error.id, cause: error.cause };
  if (error.id === "INTERNAL") logger.error(about, "a request failed");
  else logger.warn(about, "a request could not be served");
}

function setErrorHeaders(error: RelayError, res: ServerResponse, authenticate: string): void {
  const named: readonly string[] = errorCatalogue[error.id].headers;
  // A page may have set these before it failed.
  res.removeHeader("Content-Type");
  res.setHeader("Cache-Control", "no-store");
  if (named.includes("Retry-After")) res.setHeader("Retry-After", retryAfterSeconds(error));
  if (named.includes("WWW-Authenticate")) res.setHeader("WWW-Authenticate", authenticate);
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
}

/** The value of the header Retry-After of an error. */
export function retryAfterSeconds(error: RelayError): number {
  return requestedSeconds(error) ?? 1;
}

/** RFC 6750, section 3: no error code if no token was sent. */
function challenge(authorization: string | undefined, realm: string): string {
  const quoted = realm.replaceAll(/["\\]/g, "");
  const reason = authorization === undefined ? "" : ', error="invalid_token"';
  return `Bearer realm="${quoted}"${reason}`;
}
