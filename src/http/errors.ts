import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { translateDatabaseError } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import { errorBody, errorCatalogue, RelayError } from "../protocol/errors.js";
import { exchangeOf } from "./request-context.js";
import type { OperationContext } from "./validation/validator.js";
import { violationError } from "./validation/violations.js";

export interface ErrorDeps {
  logger: Logger;
  /** The realm of WWW-Authenticate: the relay's domain. */
  realm: string;
  /** The contract's document, for the extension `x-error`. */
  document: unknown;
}

/** The last step: every error becomes an entry of the catalogue, and is answered as that entry says. */
export function createErrorStep(deps: ErrorDeps): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = asRelayError(thrown, req, deps);
    const exchange = exchangeOf(res);
    exchange.error = error.id;
    if (error.id === "INTERNAL" || error.cause !== undefined) logFault(deps.logger, res, error);
    if (res.headersSent) return void res.destroy();
    setErrorHeaders(error, res, challenge(req, deps.realm));
    res.status(error.status).json(errorBody(error));
  };
}

/** No route matched. */
export const refuseUnknownRoute: RequestHandler = () => {
  throw new RelayError("NOT_FOUND", "There is no such route.");
};

/** A route matched, but none of its methods. */
export function refuseMethod(allowed: readonly string[]): RequestHandler {
  return () => {
    throw methodNotAllowed(allowed);
  };
}

export function methodNotAllowed(allowed: readonly string[]): RelayError {
  const allow = allowed.join(", ");
  return new RelayError("METHOD_NOT_ALLOWED", `This path takes ${allow}.`, { headers: { Allow: allow } });
}

function asRelayError(thrown: unknown, req: Request, deps: ErrorDeps): RelayError {
  const error = translateDatabaseError(thrown);
  if (error instanceof RelayError) return error.id === "INTERNAL" ? internal(req, error) : error;
  const { isHandled } = exchangeOf(req.res as Response);
  return isHandled || !isRefusal(error) ? internal(req, error) : asClientError(error, req, deps);
}

/** How the validator and Express refuse a request. */
interface Refusal {
  status: number;
  message: string;
  errors?: { path: string; message: string; errorCode?: string }[];
}

function isRefusal(error: unknown): error is Refusal {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500;
}

function asClientError(error: Refusal, req: Request, deps: ErrorDeps): RelayError {
  const { openapi } = req as Request & { openapi?: OperationContext };
  if (error.status === 415)
    return new RelayError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json in UTF-8.");
  if (openapi !== undefined && error.errors !== undefined) {
    return violationError(error, { schema: openapi.schema, document: deps.document });
  }
  const problem = error instanceof URIError ? "is not well encoded" : "is not acceptable";
  return new RelayError("INVALID_REQUEST", `The request's path ${problem}.`, {
    extras: { details: [{ path: "path", message: problem }] },
  });
}

function internal(req: Request, cause: unknown): RelayError {
  const { requestId } = exchangeOf(req.res as Response);
  return new RelayError("INTERNAL", "The server made a mistake.", { extras: { request_id: requestId }, cause });
}

/** The logger describes the cause without the values that a database error quotes. */
function logFault(logger: Logger, res: Response, error: RelayError): void {
  const { requestId, operation, route } = exchangeOf(res);
  const about = { request_id: requestId, operation, route, error: error.id, cause: error.cause };
  if (error.id === "INTERNAL") logger.error(about, "a request failed");
  else logger.warn(about, "a request could not be served");
}

function setErrorHeaders(error: RelayError, res: Response, authenticate: string): void {
  const named: readonly string[] = errorCatalogue[error.id].headers;
  // A handler's reply may have set these before it turned out wrong.
  res.removeHeader("Content-Type");
  res.setHeader("Cache-Control", "no-store");
  if (named.includes("Retry-After")) res.setHeader("Retry-After", retryAfterSeconds(error));
  if (named.includes("WWW-Authenticate")) res.setHeader("WWW-Authenticate", authenticate);
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
}

/** What the header Retry-After says with an error. */
export function retryAfterSeconds(error: RelayError): number {
  const { retry_after: seconds } = error.extras;
  return typeof seconds === "number" ? Math.max(0, Math.ceil(seconds)) : 1;
}

/** RFC 6750, section 3: no error code where no token was sent. */
function challenge(req: Request, realm: string): string {
  const quoted = realm.replaceAll(/["\\]/g, "");
  const reason = req.headers.authorization === undefined ? "" : ', error="invalid_token"';
  return `Bearer realm="${quoted}"${reason}`;
}
