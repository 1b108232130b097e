import type { IncomingMessage } from "node:http";
import { hourSeconds } from "../../protocol/units.js";
import type { Contract, RouteEntry } from "../request/contract.js";
import type { HeaderList } from "./answer.js";

/** Headers of answers that a page may read, besides those that it may always read. */
const exposed =
  "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Accept-Ranges, Content-Length, Content-Range, ETag";
/** The headers by which a page of another origin may read an answer. */
const pageHeaders: HeaderList = ["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", exposed];
/** The longest time for which browsers keep an answer to a preflight. */
const preflightSeconds = 2 * hourSeconds;
const headerNames = /^[A-Za-z0-9-]+(?: *, *[A-Za-z0-9-]+)*$/;
const maxHeaderCharacters = 1_000;

/** The headers by which pages of other origins may read the answers of an operation; none if they may not. */
export function originHeadersOf(entry: RouteEntry, contract: Contract): HeaderList {
  return isForPages(entry, contract) ? pageHeaders : [];
}

/**
 * Lets pages of any origin call operations that are for devices or for everybody (CORS, the Fetch standard). That is
 * safe because only the token in a header identifies the caller, and a browser never adds that header without being
 * told. Only pages of the relay's origin may call operations for administrators and for other relays.
 *
 * An operation without a token is for everybody, unless its neighbours take the tokens of administrators or relays: a
 * login belongs to those who log in.
 */
export function isForPages({ path, security }: RouteEntry, { routes }: Contract): boolean {
  if (security.length > 0) return security.every((kind) => kind === "device");
  const area = areaOf(path);
  return Object.values(routes).every(
    (route) => route.security.every((kind) => kind === "device") || areaOf(route.path) !== area,
  );
}

/**
 * The headers of the answer to a preflight, by which a browser asks whether a page may call one of `methods`. Null for
 * any other request: an OPTIONS request that is not a preflight is answered like any unknown method.
 */
export function preflightHeaders(req: IncomingMessage, methods: readonly string[]): HeaderList | null {
  const method = req.headers["access-control-request-method"];
  if (req.method !== "OPTIONS" || req.headers.origin === undefined || method === undefined) return null;
  if (!methods.includes(method)) return null;
  const wanted = req.headers["access-control-request-headers"] ?? "";
  const isWellFormed = wanted.length <= maxHeaderCharacters && headerNames.test(wanted);
  const allowed = isWellFormed ? ["Access-Control-Allow-Headers", wanted] : [];
  return [
    ...pageHeaders,
    "Access-Control-Allow-Methods",
    methods.join(", "),
    ...allowed,
    "Access-Control-Max-Age",
    String(preflightSeconds),
    "Vary",
    "Access-Control-Request-Headers",
  ];
}

/** The first segment of a path. */
function areaOf(path: string): string {
  return path.split("/")[1] ?? "";
}
