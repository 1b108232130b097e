import type { IncomingMessage, RequestListener } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";
import type { answerWith } from "./answer.js";
import type { BodyReader } from "./body.js";
import type { AnyHandler, Authenticate, Contract, RouteEntry } from "./contract.js";
import { type HeaderList, setWaitingHeaders } from "./header-list.js";
import type { LoadShedder } from "./load-shedding.js";
import { type CallerCheck, isLongBody, type LongBodyChecks } from "./long-body.js";
import { createRefusals, type RefusalDeps } from "./refusals.js";
import type { Exchange } from "./request-context.js";
import { bearerToken } from "./security.js";
import type { Validators } from "./validation/validator.js";

export interface ShortWayDeps {
  contract: Contract;
  handlerOf(operation: string): AnyHandler;
  authenticatorOf(entry: RouteEntry): Authenticate;
  bodyLimits: (name: string) => number;
  body: BodyReader;
  /** Begins an exchange; the headers of its answer are left to be written with it. */
  begin(req: Request, res: Response): Exchange;
  /** The headers that every answer of an operation has. */
  headersOf(entry: RouteEntry): HeaderList;
  /** The step that has the answer checked, where answers are. */
  checkOf(operation: string): readonly RequestHandler[];
  contexts: Validators["contexts"];
  loadShedderOf(operation: string): LoadShedder | undefined;
  longBodies: LongBodyChecks;
  refusals: RefusalDeps;
  answer: (handler: AnyHandler) => ReturnType<typeof answerWith>;
  answerError: ErrorRequestHandler;
}

interface Way {
  id: string;
  entry: RouteEntry;
  bodyLimit: string;
  accepts: (body: unknown) => boolean;
  /** The name of the path's last segment, and the check of it and the headers, of an operation that takes any. */
  parameter: string | null;
  acceptsParameters: (given: { path: object; header: object }) => boolean;
  authenticate: Authenticate;
  headers: HeaderList;
  check: RequestHandler | undefined;
  room: LoadShedder | undefined;
  beforeLongBody: CallerCheck | undefined;
  answer: ReturnType<typeof answerWith>;
}

/** A way as a request takes it. */
interface Taken {
  way: Way;
  params: Readonly<Record<string, string>>;
}

/**
 * Express and the validator take most of the time of a short request. A request that is as plain as nearly all are (an
 * operation of devices or peers that takes little but a JSON body, by its exact path, with a token) is taken past them:
 * the same exchange, authenticator, body reader, handler and error step, in the same order, and the compiled checks of its
 * body and parameters in the validator's place. What these refuse is handed on to the long way, body included, which finds
 * out why, or that it is right after all. So the long way alone decides what is wrong.
 */
export function installFastPath(app: Express, deps: ShortWayDeps): RequestListener {
  const find = createFinding(waysOf(deps));
  const refusals = createRefusals(deps.refusals);
  return (req, res) => {
    const taken = find(req);
    const passage = { req: req as Request, res: res as Response, app, deps };
    if (taken === undefined || !isPlain(req)) app(req, res);
    else if (taken.way.room?.isFull()) refusals.add(taken.way.id, taken.way.headers, passage);
    else void take(taken, passage);
  };
}

function waysOf(deps: ShortWayDeps): Way[] {
  const { contract } = deps;
  return Object.entries(contract.bodyValidators ?? {}).map(([id, accepts]) => {
    const entry = contract.routes[id];
    if (entry === undefined || entry.bodyLimit === null) throw new Error(`the operation ${id} takes no body`);
    if (entry.permission !== null) throw new Error(`the short way does not ask for the permission of ${id}`);
    return {
      ...{ id, entry, accepts, bodyLimit: entry.bodyLimit, parameter: parameterOf(id, contract) },
      acceptsParameters: contract.parameterValidators?.[id] ?? (() => true),
      authenticate: deps.authenticatorOf(entry),
      headers: deps.headersOf(entry),
      check: deps.checkOf(id)[0],
      room: deps.loadShedderOf(id),
      beforeLongBody: deps.longBodies.of[id],
      answer: deps.answer(deps.handlerOf(id)),
    };
  });
}

/** The name of the parameter that the path ends with. No other path may match what this one does. */
function parameterOf(id: string, { routes }: Contract): string | null {
  const { method = "get", path = "" } = routes[id] ?? {};
  const [front, end] = cut(path);
  if (!end.startsWith(":")) return null;
  const others = Object.values(routes).filter((other) => other.path !== path && other.method === method);
  if (front.includes(":") || others.some((other) => cut(other.path)[0] === front)) {
    throw new Error(`the short way cannot tell ${id} from other operations`);
  }
  return end.slice(1);
}

/** A path up to its last slash, and its last segment. */
function cut(path: string): [string, string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}

/** What stands for itself in a path (RFC 3986, section 2.3). */
const unreserved = /^[\w.~-]+$/;

function createFinding(ways: readonly Way[]): (req: IncomingMessage) => Taken | undefined {
  const whole = new Map<string, Taken>();
  const byFront = new Map<string, { way: Way; parameter: string }>();
  for (const way of ways) {
    const { entry, parameter } = way;
    const method = entry.method.toUpperCase();
    if (parameter === null) whole.set(`${method} ${entry.path}`, { way, params: {} });
    else byFront.set(`${method} ${cut(entry.path)[0]}`, { way, parameter });
  }
  return ({ method, url = "" }) => {
    const taken = whole.get(`${method} ${url}`);
    if (taken !== undefined) return taken;
    const [front, end] = cut(url);
    const found = byFront.get(`${method} ${front}`);
    return found !== undefined && unreserved.test(end)
      ? { way: found.way, params: { [found.parameter]: end } }
      : undefined;
  };
}

/** Whether nothing about the headers wants a decision. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers["content-type"] === "application/json" &&
    Number(headers["content-length"]) > 0 &&
    headers["transfer-encoding"] === undefined &&
    headers["content-encoding"] === undefined &&
    headers.expect === undefined &&
    headers.authorization !== undefined &&
    headers.host !== undefined
  );
}

interface Passage {
  req: Request;
  res: Response;
  app: Express;
  deps: ShortWayDeps;
}

async function take(taken: Taken, passage: Passage): Promise<void> {
  const { way, params } = taken;
  const { req, res, app, deps } = passage;
  res.locals = {};
  const exchange = deps.begin(req, res);
  exchange.waitingHeaders = ["X-Request-Id", exchange.requestId, ...way.headers];
  exchange.operation = way.id;
  exchange.route = way.entry.path;
  try {
    const token = bearerToken(req.headers.authorization);
    const principal = way.authenticate(token, way.id);
    exchange.principal = principal instanceof Promise ? await principal : principal;
    exchange.token = token;
    const { beforeLongBody } = way;
    if (beforeLongBody && isLongBody(req, deps.longBodies.bytes)) await beforeLongBody(exchange.principal);
    const bytes = await deps.body.read(req, res, deps.bodyLimits(way.bodyLimit));
    way.room?.enter(res);
    const body = deps.body.parse(bytes, taken.way.entry.judgedItems);
    if (!way.accepts(body) || !way.acceptsParameters({ path: params, header: req.headers })) {
      exchange.body = body;
      setWaitingHeaders(res);
      return app(req, res);
    }
    req.body = body;
    req.params = params;
    req.query = noQuery;
    if (way.check !== undefined) prepareCheck(taken, passage, way.check);
    await way.answer(req, res, goOn);
  } catch (error) {
    dressUp(passage);
    deps.answerError(error, req, res, goOn);
  }
}

/** Gives request and response the methods that Express gives them. */
function dressUp({ req, res, app }: Passage): void {
  Object.setPrototypeOf(req, app.request);
  Object.setPrototypeOf(res, app.response);
  req.res = res;
  setWaitingHeaders(res);
}

function prepareCheck({ way, params }: Taken, passage: Passage, check: RequestHandler): void {
  const { req, res, deps } = passage;
  dressUp(passage);
  Object.assign(req, { openapi: { ...deps.contexts.get(way.id), pathParams: params } });
  check(req, res, goOn);
}

const noQuery = Object.freeze({});
const goOn = (): void => undefined;
