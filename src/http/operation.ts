import type { Request, RequestHandler } from "express";
import { RelayError } from "../protocol/errors.js";
import { hasBody } from "./body.js";
import type { RouteEntry } from "./contract.js";
import { methodNotAllowed } from "./errors.js";
import { exchangeOf } from "./request-context.js";
import type { OperationContext } from "./validation/validator.js";

export interface Admission {
  id: string;
  entry: RouteEntry;
  /** All methods of the path. */
  methods: readonly string[];
  contexts: ReadonlyMap<string, OperationContext>;
}

/** The first step on a route: tells the steps after it, and the log, which operation the request is for. */
export function admit({ id, entry, methods, contexts }: Admission): RequestHandler {
  const taken = methodsOf(entry);
  return (req, res, next) => {
    const exchange = exchangeOf(res);
    exchange.operation = id;
    exchange.route = entry.path;
    // Express offers HEAD to the handler of GET; some of those consume what they give out.
    if (!taken.includes(req.method)) throw methodNotAllowed(methods);
    refuseUndecodableQuery(req.url);
    ignoreConditions(req);
    exchange.contentType = req.headers["content-type"] ?? null;
    normaliseContentType(req, entry.bodyLimit !== null && hasBody(req));
    (req as Request & { openapi: object }).openapi = { ...contextOf(contexts, id), pathParams: req.params };
    next();
  };
}

/** The methods under which an operation is asked for. */
export function methodsOf({ method, head }: RouteEntry): string[] {
  return head === true ? [method.toUpperCase(), "HEAD"] : [method.toUpperCase()];
}

/**
 * Express answers a GET whose condition holds with 304 and without the body, after the handler has spent what was asked
 * for; and `If-None-Match: *` holds for whatever there is.
 */
function ignoreConditions(req: Request): void {
  delete req.headers["if-none-match"];
  delete req.headers["if-modified-since"];
}

/**
 * The validator keeps a compiled schema for every Content-Type it meets, parameters included. So it meets one only, or
 * none where there is no body; whether the real one was acceptable is judged where the body is read.
 */
function normaliseContentType(req: Request, bringsBody: boolean): void {
  if (bringsBody) req.headers["content-type"] = "application/json";
  else delete req.headers["content-type"];
}

function contextOf(contexts: ReadonlyMap<string, OperationContext>, id: string): OperationContext {
  const context = contexts.get(id);
  if (context === undefined) throw new RelayError("OVERLOADED", "The server is starting.");
  return context;
}

/** Express's parser lets malformed escapes pass as they are; U+0000 can be stored nowhere. */
function refuseUndecodableQuery(url: string): void {
  const start = url.indexOf("%");
  if (start === -1) return;
  if (url.includes("%00") || !isDecodable(url.slice(start))) throw badEncoding();
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function badEncoding(): RelayError {
  return new RelayError("INVALID_REQUEST", "The URL is not well encoded.", {
    extras: { details: [{ path: "query", message: "must be percent-encoded UTF-8 without U+0000" }] },
  });
}
