import type { Server } from "node:http";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import type { Logger } from "../platform/logger.js";
import type { TrustedProxies } from "../platform/net/client-ip.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { type Answered, answerWith, checkAnswer, notifyWhenAnswered } from "./answer.js";
import { type BodyReader, type BodySettings, createBodyReader } from "./body.js";
import { type ConnectionSettings, createConnections } from "./connections.js";
import type { AnyHandler, Authenticators, Contract, PrincipalKind, RouteEntry } from "./contract.js";
import { allowOrigins, originHeadersOf } from "./cors.js";
import { createErrorStep, refuseMethod, refuseUnknownRoute } from "./errors.js";
import { installFastPath, type ShortWayDeps } from "./fast-path.js";
import { type HeaderList, setHeaders } from "./header-list.js";
import { closeListener, createListener, type ListenerSettings, renewTls, type TlsIdentity } from "./listener.js";
import { createLoadShedder, type LoadShedder, type LoadSheddingBounds } from "./load-shedding.js";
import { checkBeforeLongBody, type LongBodyChecks } from "./long-body.js";
import { networkOf } from "./network.js";
import { admit, methodsOf } from "./operation.js";
import { noRoom } from "./refusals.js";
import { beginExchange, type Exchange, exchangeOf, isBegun } from "./request-context.js";
import { logRefused, logWhenDone } from "./request-log.js";
import { byPath } from "./route-by-path.js";
import { authenticate } from "./security.js";
import { nameAllFaults } from "./validation/all-faults.js";
import { checkParameters } from "./validation/parameters.js";
import { type Validators, validatorsOf } from "./validation/validator.js";

export interface HttpDeps {
  contract: Contract;
  /** A handler for every operation of the contract: the generated `AllHandlers`. */
  handlers: object;
  authenticators: Authenticators;
  /** The size limit in bytes behind a name of the route table; asked at each request, since some change at run time. */
  bodyLimits: (name: string) => number;
  /** Pages beside the contract's operations. */
  pages?: RequestHandler;
  /** Fail where a response does not fit the contract: for tests and development. */
  validateResponses: boolean;
  trustedProxies: TrustedProxies;
  realm: string;
  /** Told of every request when it is over. */
  onAnswered?: (answered: Answered) => void;
  config: BodySettings & ListenerSettings & ConnectionSettings & { longBodyBytes: number };
  /** What is asked about a caller before a body over `longBodyBytes` is read, by operation. */
  beforeLongBody?: LongBodyChecks["of"];
  /** Operations, by their ids, whose requests are refused while more of them are under way than are answered in time. */
  loadShedding?: Readonly<Record<string, LoadSheddingBounds>>;
  tls?: TlsIdentity | null;
  logger: Logger;
  random: Random;
}

export interface HttpServer {
  readonly app: Express;
  /** Not yet listening. */
  readonly server: Server;
  /** All schemas are compiled; rejects where the contract cannot be served. Listen only after it. */
  readonly openapiReady: Promise<void>;
  /** Lets open requests finish for `graceSeconds`, then cuts them. */
  close(graceSeconds: number): Promise<void>;
  /** Serves another certificate from now on; nothing happens where plain HTTP is served. */
  renewTls(identity: TlsIdentity): void;
}

/**
 * The front door. It knows the contract and no feature: each request takes the steps below, in this order, and ends
 * with the one handler that the contract names for it, or with an error of the catalogue.
 */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const { contract } = deps;
  const handlers = handlersOf(deps);
  const app = createApp();
  app.use(open(deps));
  const answerError = createErrorStep({ logger: deps.logger, realm: deps.realm, document: contract.openapi });
  const body = createBodyReader(deps.config, (req) => networkOf(req, deps.trustedProxies));
  const rooms = openRooms(deps);
  const connections = createConnections(deps.config, deps.trustedProxies);
  const answer = (handler: AnyHandler) => answerWith(handler, { ...deps, connections });
  const operations = mountOperations(app, { deps, handlers, body, rooms, answerError, answer });
  if (deps.pages !== undefined) app.use(createSite(deps.pages));
  app.use(refuseUnknownRoute);
  app.use(answerError);
  const listener = installFastPath(app, {
    ...{ contract, body, answerError, bodyLimits: deps.bodyLimits },
    ...operations,
    begin: (req, res) => begin(deps, req, res),
    headersOf: (entry) => [...everyAnswersHeaders, ...originHeadersOf(entry, contract)],
    handlerOf: (id) => handlers[id] as AnyHandler,
    authenticatorOf: (entry) => deps.authenticators[kindOf(entry)],
    loadShedderOf: (id) => rooms.get(id),
    longBodies: longBodyChecks(deps),
    refusals: {
      requestId: () => deps.random.uuid(),
      onRefused(refused) {
        logRefused(deps.logger, contract, refused);
        deps.onAnswered?.(refused);
      },
    },
    answer,
  });
  const failed = (error: Error): void => deps.logger.error({ err: error }, "the listener failed");
  const server = createListener(listener, { ...deps.config, failed }, deps.tls ?? null);
  connections.watch(server);
  return {
    app,
    server,
    openapiReady: operations.ready,
    close: (graceSeconds) => closeListener(server, graceSeconds),
    renewTls: (identity) => renewTls(server, identity),
  };
}

interface Mounting {
  deps: HttpDeps;
  handlers: Readonly<Record<string, AnyHandler>>;
  body: BodyReader;
  rooms: ReadonlyMap<string, LoadShedder>;
  answerError: ErrorRequestHandler;
  answer: ShortWayDeps["answer"];
}

type Mounted = Pick<ShortWayDeps, "checkOf"> & Pick<Validators, "ready" | "contexts">;

function mountOperations(app: Express, mounting: Mounting): Mounted {
  const { deps, handlers, body, rooms, answerError, answer } = mounting;
  const { contract } = deps;
  const longBodies = longBodyChecks(deps);
  const validators = validatorsOf(contract, deps);
  const checkOf = (id: string): RequestHandler[] => {
    const { response } = validators.of(id);
    return response === null ? [] : [checkAnswer(response, answerError)];
  };
  for (const { path, operations } of byPath(contract.routes)) {
    const route = app.route(path);
    const origins = allowOrigins({ path, operations }, contract);
    if (origins !== undefined) route.all(origins);
    const methods = operations.flatMap(({ entry }) => methodsOf(entry));
    for (const { id, entry } of operations) {
      const { bodyLimit } = entry;
      const { security, request } = validators.of(id);
      const room = waitIn(rooms.get(id));
      route[entry.method](
        admit({ id, entry, methods, contexts: validators.contexts }),
        ...room.before,
        ...checkOf(id),
        authenticate(security),
        ...checkBeforeLongBody(id, longBodies),
        ...(bodyLimit === null ? [] : [body.step(() => deps.bodyLimits(bodyLimit), entry.judgedItems)]),
        ...room.after,
        checkParameters(id, contract.openapi),
        nameAllFaults(request, contract.openapi),
        answer(handlers[id] as AnyHandler),
      );
    }
    route.all(refuseMethod(methods));
  }
  const { ready, contexts } = validators;
  return { ready, contexts, checkOf };
}

function longBodyChecks({ config, beforeLongBody = {} }: HttpDeps): LongBodyChecks {
  return { bytes: config.longBodyBytes, of: beforeLongBody };
}

function openRooms({ loadShedding }: HttpDeps): ReadonlyMap<string, LoadShedder> {
  return new Map(Object.entries(loadShedding ?? {}).map(([id, bounds]) => [id, createLoadShedder(bounds)]));
}

/** The steps before and after a body is read. What comes from the short way has its place. */
function waitIn(room: LoadShedder | undefined): Record<"before" | "after", RequestHandler[]> {
  if (room === undefined) return { before: [], after: [] };
  const unlessInside =
    (work: (res: Response) => void): RequestHandler =>
    (_req, res, next) => {
      if (exchangeOf(res).body === null) work(res);
      next();
    };
  const refuseIfFull = (): void => {
    if (room.isFull()) throw noRoom();
  };
  return { before: [unlessInside(refuseIfFull)], after: [unlessInside((res) => room.enter(res))] };
}

/** The short way is for operations that take the token of one kind of caller. */
function kindOf({ path, security }: RouteEntry): PrincipalKind {
  const [kind, ...others] = security;
  if (kind === undefined || others.length > 0) throw new Error(`${path} is not for one kind of caller`);
  return kind as PrincipalKind;
}

/** A path matches as it is written in the contract: not with another case, nor with a slash more. */
function createApp(): Express {
  const app = express();
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.disable("x-powered-by");
  app.disable("etag");
  // Should an error ever get past our last step, Express's own answer to it shows no stack.
  app.set("env", "production");
  app.set("query parser", "simple");
  return app;
}

/** Pages are files that a browser may keep, so they have an ETag, which answers have not. */
function createSite(pages: RequestHandler): Express {
  const site = express();
  site.disable("x-powered-by");
  return site.use(pages);
}

/** The first step: the request's id, its log line, and headers that hold for every answer. */
function open(deps: HttpDeps): RequestHandler {
  return (req, res, next) => {
    // It began on the short way.
    if (isBegun(res)) return next();
    const { requestId } = begin(deps, req, res);
    setHeaders(res, ["X-Request-Id", requestId, ...everyAnswersHeaders]);
    next(req.httpVersion === "1.1" && req.headers.host === undefined ? withoutHost() : undefined);
  };
}

/** RFC 9112, section 3.2. */
function withoutHost(): RelayError {
  return new RelayError("INVALID_REQUEST", "The header Host is missing.", {
    extras: { details: [{ path: "header/host", message: "is missing" }] },
  });
}

function begin({ random, authenticators, logger, onAnswered }: HttpDeps, req: Request, res: Response): Exchange {
  const exchange = beginExchange(res, { requestId: random.uuid(), authenticators });
  logWhenDone(logger, req.method, res);
  if (onAnswered !== undefined) notifyWhenAnswered(res, onAnswered);
  return exchange;
}

const everyAnswersHeaders: HeaderList = [
  ...["Cache-Control", "no-store"],
  ...["X-Content-Type-Options", "nosniff"],
  ...["Referrer-Policy", "no-referrer"],
  ...["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
];

function handlersOf({ contract, handlers }: HttpDeps): Readonly<Record<string, AnyHandler>> {
  const known = handlers as Readonly<Record<string, AnyHandler>>;
  const missing = Object.keys(contract.routes).find((id) => typeof known[id] !== "function");
  if (missing !== undefined) throw new Error(`the operation ${missing} has no handler`);
  return known;
}
