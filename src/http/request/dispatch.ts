import { RelayError } from "../../protocol/errors.js";
import type { RouteEntry } from "./contract.js";
import { noParameters } from "./request-context.js";
import { methodNotAllowed } from "./unknown-route.js";

/** An operation as in the table of routes. */
export interface Routed {
  readonly id: string;
  readonly entry: RouteEntry;
}

/** A request whose operation is known. */
export interface Match<O> {
  kind: "operation";
  operation: O;
  /** Decoded. */
  params: Readonly<Record<string, string>>;
  /** Without the question mark. */
  queryString: string;
}

/** A request for a path of the contract that no operation takes. */
export interface Mismatch<O> {
  kind: "mismatch";
  refusal: RelayError;
  /** The operation under which it is logged, if any. */
  operation: O | null;
  /** All operations of the path. */
  neighbours: readonly O[];
}

/** Finds the operation of a request by method and target; null if no path of the contract matches. */
type Dispatcher<O> = (method: string, target: string) => Match<O> | Mismatch<O> | null;

/**
 * A route is found by its exact text if it has no parameters and the request has no query, otherwise segment by
 * segment. A literal segment takes precedence over a parameter (OpenAPI, "path templating matching"), whatever the
 * methods are. A path must match exactly: no other case, no extra slash.
 */
export function createDispatcher<O extends Routed>(operations: readonly O[]): Dispatcher<O> {
  const exact = new Map<string, Match<O>>();
  const root = createNode<O>();
  for (const operation of operations) {
    addRoute(root, operation);
    if (operation.entry.path.includes(":")) continue;
    for (const method of methodsOf(operation.entry)) {
      const match: Match<O> = { kind: "operation", operation, params: noParameters, queryString: "" };
      exact.set(`${method} ${operation.entry.path}`, match);
    }
  }
  return (method, target) => exact.get(`${method} ${target}`) ?? findBySegments(root, method, target);
}

/** The methods under which an operation is asked for. */
export function methodsOf({ method, head }: RouteEntry): string[] {
  return head === true ? [method.toUpperCase(), "HEAD"] : [method.toUpperCase()];
}

/** The paths that begin with the same segments. */
interface Node<O> {
  readonly literals: Map<string, Node<O>>;
  parameter: Node<O> | null;
  path: Path<O> | null;
}

interface Path<O> {
  readonly parameterNames: readonly string[];
  readonly operations: O[];
}

function createNode<O>(): Node<O> {
  return { literals: new Map(), parameter: null, path: null };
}

function addRoute<O extends Routed>(root: Node<O>, operation: O): void {
  const segments = segmentsOf(operation.entry.path);
  let node = root;
  for (const segment of segments) {
    const next = (segment.startsWith(":") ? node.parameter : node.literals.get(segment)) ?? createNode<O>();
    if (segment.startsWith(":")) node.parameter = next;
    else node.literals.set(segment, next);
    node = next;
  }
  const parameterNames = segments.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1));
  node.path ??= { parameterNames, operations: [] };
  node.path.operations.push(operation);
}

/** Segments of a path, which begins with a slash. */
function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

function findBySegments<O extends Routed>(root: Node<O>, method: string, target: string): ReturnType<Dispatcher<O>> {
  const { path, queryString } = originForm(target);
  const values: string[] = [];
  const found = findPath(root, { segments: segmentsOf(path), at: 0, values });
  if (found === null) return null;
  const { operations } = found;
  const mismatch = (refusal: RelayError, operation: O | null): Mismatch<O> => ({
    kind: "mismatch",
    refusal,
    operation,
    neighbours: operations,
  });
  const params = decodeAll(found.parameterNames, values);
  if (params === null) return { ...mismatch(badPathEncoding(), null), neighbours: [] };
  const operation = operations.find(({ entry }) => methodsOf(entry).includes(method));
  if (operation === undefined) {
    const entries = operations.map(({ entry }) => entry);
    return mismatch(methodNotAllowed(entries, entries.flatMap(methodsOf)), operationOfHead(method, found));
  }
  if (!isWellEncoded(target)) return mismatch(badEncoding(), operation);
  return { kind: "operation", operation, params, queryString };
}

/** The parts of a target, which may also be a whole URL (RFC 9112, section 3.2.2). */
export function originForm(target: string): { path: string; queryString: string } {
  const [local = ""] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split("#", 1);
  const end = local.indexOf("?");
  return end === -1
    ? { path: local, queryString: "" }
    : { path: local.slice(0, end), queryString: local.slice(end + 1) };
}

interface Position {
  segments: readonly string[];
  at: number;
  /** The values of the parameters so far. */
  values: string[];
}

function findPath<O>(node: Node<O>, { segments, at, values }: Position): Path<O> | null {
  const segment = segments[at];
  if (segment === undefined) return node.path;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? null : findPath(literal, { segments, at: at + 1, values });
  if (found !== null || node.parameter === null || segment === "") return found;
  values.push(segment);
  const below = findPath(node.parameter, { segments, at: at + 1, values });
  if (below === null) values.pop();
  return below;
}

function decodeAll(names: readonly string[], values: readonly string[]): Record<string, string> | null {
  try {
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? "")]));
  } catch {
    return null;
  }
}

/** Not every GET offers HEAD, because some GETs consume what they return. HEAD is logged as its GET. */
function operationOfHead<O extends Routed>(method: string, { operations }: Path<O>): O | null {
  return method === "HEAD" ? (operations.find(({ entry }) => entry.method === "get") ?? null) : null;
}

/** Query parsers pass malformed escapes unchanged; U+0000 cannot be stored. */
function isWellEncoded(target: string): boolean {
  const start = target.indexOf("%");
  if (start === -1) return true;
  if (target.includes("%00")) return false;
  try {
    decodeURIComponent(target.slice(start));
    return true;
  } catch {
    return false;
  }
}

function badEncoding(): RelayError {
  return new RelayError("INVALID_REQUEST", "the URL is not well encoded", {
    extras: { details: [{ path: "query", message: "must be percent-encoded UTF-8 without U+0000" }] },
  });
}

function badPathEncoding(): RelayError {
  return new RelayError("INVALID_REQUEST", "the request's path is not well encoded", {
    extras: { details: [{ path: "path", message: "is not well encoded" }] },
  });
}
