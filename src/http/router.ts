import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Express, type IRoute, type Request, type RequestHandler, type Response } from "express";
import { RelayError } from "../protocol/errors.js";
import { everyAnswersHeaders, setHeaders } from "./answer/answer.js";
import { preflightHeaders } from "./answer/cors.js";
import { answerOperation, type Operation, type OperationDeps, setBaseHeaders } from "./operation.js";
import type { RouteEntry } from "./request/contract.js";
import type { RequestContext } from "./request/request-context.js";
import { methodNotAllowed, type UnknownRoute } from "./request/unknown-route.js";

interface RouterDeps extends OperationDeps {
  operations: readonly Operation[];
  /** Pages beside the contract's operations. */
  pages: RequestHandler;
  unknownRoute: UnknownRoute;
}

/**
 * The way of every request: middleware, the operations of the contract, pages, an error of the catalogue. A path must
 * match exactly: no other case, no extra slash.
 *
 * The router itself is the listener. Preparing a request for Express's application takes thirty times as long as
 * finding its route, and operations use nothing of it, so only pages are mounted as an application.
 */
export function createRouter(deps: RouterDeps): RequestListener {
  const router = express.Router({ strict: true, caseSensitive: true });
  router.use(requireHost);
  // Middleware for every request goes here. It knows neither the operation nor the caller, and the body is unread.
  for (const [path, operations] of byPath(deps.operations)) mountPath(router.route(path), operations, deps);
  router.use(createSite(deps.pages, deps));
  return (req, res) => {
    router(req as Request, res as Response, (error: unknown) => {
      deps.answerError(beginPage(req, res, deps), error ?? deps.unknownRoute(req.url ?? ""));
    });
  };
}

/** RFC 9112, section 3.2. */
const requireHost: RequestHandler = ({ headers, httpVersion }, _res, next) => {
  if (headers.host !== undefined || httpVersion !== "1.1") return next();
  next(
    new RelayError("INVALID_REQUEST", "the header Host is missing", {
      extras: { details: [{ path: "header/host", message: "is missing" }] },
    }),
  );
};

/**
 * The operations of each path. The router takes the first path that matches, and a literal segment takes precedence over
 * a parameter (OpenAPI, "path templating matching"), so paths with literals come first.
 */
function byPath(operations: readonly Operation[]): [string, Operation[]][] {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { path } = operation.entry;
    paths.set(path, [...(paths.get(path) ?? []), operation]);
  }
  return [...paths].sort(([one], [other]) => (literalsFirst(one) < literalsFirst(other) ? -1 : 1));
}

/** Sorts before the other if the first segment in which two paths differ in kind is a literal here. */
function literalsFirst(path: string): string {
  return path.replace(/[^/]+/g, (segment) => (segment.startsWith(":") ? "1" : "0"));
}

/** Mounts what answers the requests for a path: its operations by method, preflights, and a refusal of other methods. */
function mountPath(route: IRoute, operations: readonly Operation[], deps: RouterDeps): void {
  for (const operation of operations) {
    const handle: RequestHandler = (req, res) => {
      if (operation.loadShedder?.isFull()) deps.refusals.add(operation, { req, res });
      else void answerOperation(operation, deps.begin(req, res), deps);
    };
    // Express would answer HEAD like GET, but some GETs consume what they return. HEAD is logged as its GET.
    if (operation.entry.method === "get")
      route.head(operation.entry.head ? handle : refuseMethod(operations, deps, operation));
    route[operation.entry.method](handle);
  }
  route.options(answerPreflight(operations, deps)).all(refuseMethod(operations, deps, null));
}

/** The methods under which an operation is asked for. */
function methodsOf({ method, head }: RouteEntry): string[] {
  return head === true ? [method.toUpperCase(), "HEAD"] : [method.toUpperCase()];
}

function answerPreflight(operations: readonly Operation[], deps: RouterDeps): RequestHandler {
  const methods = operations.filter(({ isForPages }) => isForPages).flatMap(({ entry }) => methodsOf(entry));
  return (req, res, next) => {
    const headers = preflightHeaders(req, methods);
    if (headers === null) return next();
    setBaseHeaders(deps.begin(req, res), [...everyAnswersHeaders, ...headers]);
    res.statusCode = 204;
    res.end();
  };
}

/** Refuses a method that no operation of a path takes. */
function refuseMethod(operations: readonly Operation[], deps: RouterDeps, loggedAs: Operation | null): RequestHandler {
  const entries = operations.map(({ entry }) => entry);
  const methods = entries.flatMap(methodsOf);
  return (req, res) => {
    const context = deps.begin(req, res);
    context.operation = loggedAs?.id ?? null;
    context.route = loggedAs?.entry.path ?? null;
    setBaseHeaders(context, everyAnswersHeaders);
    deps.answerError(context, methodNotAllowed(entries, methods));
  };
}

/** Pages use Express's application: its answers, its settings and its own router. */
function createSite(pages: RequestHandler, deps: RouterDeps): Express {
  const site = express();
  site.enable("strict routing");
  site.enable("case sensitive routing");
  site.disable("x-powered-by");
  site.set("query parser", "simple");
  site.use((req, res, next) => {
    beginPage(req, res, deps);
    next();
  });
  return site.use(pages);
}

const begun = new WeakMap<IncomingMessage, RequestContext>();

/** Begins a request that is for no operation, unless it has begun. */
function beginPage(req: IncomingMessage, res: ServerResponse, deps: RouterDeps): RequestContext {
  const known = begun.get(req);
  if (known !== undefined) return known;
  const context = deps.begin(req, res);
  begun.set(req, context);
  setHeaders(res, ["X-Request-Id", context.requestId, ...everyAnswersHeaders]);
  return context;
}
