import type { Request, RequestHandler } from "express";
import { hourSeconds } from "../protocol/units.js";
import type { Contract, RouteEntry } from "./contract.js";
import { type HeaderList, setHeaders } from "./header-list.js";
import { methodsOf } from "./operation.js";
import type { PathRoutes } from "./route-by-path.js";

/** Headers of answers that a page may read, besides those that it always may. */
const exposed = "Retry-After, X-Request-Id";
/** What every answer tells pages of other origins. */
const pageHeaders: HeaderList = ["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", exposed];
/** As long as browsers keep an answer to a preflight. */
const preflightSeconds = 2 * hourSeconds;
const headerNames = /^[A-Za-z0-9-]+(?: *, *[A-Za-z0-9-]+)*$/;
const mostHeaderCharacters = 1_000;

/**
 * Lets pages of any origin call what is meant for devices and for everybody (CORS, the Fetch standard). That is safe
 * because nothing but the token in a header says who calls: a browser adds none by itself. What is for administrators and
 * for other relays is left to pages of the relay's own origin.
 *
 * Answers `undefined` for a path that is not for other origins at all.
 */
export function allowOrigins({ operations }: PathRoutes, contract: Contract): RequestHandler | undefined {
  const open = operations.filter(({ entry }) => isForPages(entry, contract));
  const methods = open.flatMap(({ entry }) => methodsOf(entry));
  if (methods.length === 0) return undefined;
  return (req, res, next) => {
    const preflight = preflightOf(req);
    if (!methods.includes(preflight?.method ?? req.method)) return next();
    setHeaders(res, pageHeaders);
    if (preflight === undefined) return next();
    res.setHeader("Access-Control-Allow-Methods", methods.join(", "));
    if (preflight.headers !== "") res.setHeader("Access-Control-Allow-Headers", preflight.headers);
    res.setHeader("Access-Control-Max-Age", String(preflightSeconds));
    res.setHeader("Vary", "Access-Control-Request-Headers");
    res.status(204).end();
  };
}

/** What an answer to a request of an operation, and no preflight, tells pages of other origins. */
export function originHeadersOf(entry: RouteEntry, contract: Contract): HeaderList {
  return isForPages(entry, contract) ? pageHeaders : [];
}

/** What a browser asks before it lets a page call; any other OPTIONS request is answered like every unknown method. */
function preflightOf(req: Request): { method: string; headers: string } | undefined {
  const method = req.headers["access-control-request-method"];
  if (req.method !== "OPTIONS" || req.headers.origin === undefined || method === undefined) return undefined;
  const headers = req.headers["access-control-request-headers"] ?? "";
  return { method, headers: headers.length <= mostHeaderCharacters && headerNames.test(headers) ? headers : "" };
}

/**
 * For devices; or for everybody, unless it stands among what administrators or relays need a token for: a login is for
 * those who log in.
 */
function isForPages({ path, security }: RouteEntry, { routes }: Contract): boolean {
  if (security.length > 0) return security.every((kind) => kind === "device");
  const neighbours = Object.values(routes).filter((route) => areaOf(route.path) === areaOf(path));
  return neighbours.every((route) => route.security.every((kind) => kind === "device"));
}

/** The first segment of a path. */
function areaOf(path: string): string {
  return path.split("/")[1] ?? "";
}
