import type { IncomingMessage, RequestListener } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";
import type { answerWith } from "./answer.js";
import type { BodyReader } from "./body.js";
import type { AnyHandler, Authenticate, Contract, RouteEntry } from "./contract.js";
import { exchangeOf } from "./exchange.js";
import { bearerToken } from "./security.js";
import type { Validators } from "./validator.js";

export interface ShortWayNeeds {
  contract: Contract;
  handlerOf(operation: string): AnyHandler;
  authenticatorOf(entry: RouteEntry): Authenticate;
  bodyLimits: (name: string) => number;
  body: BodyReader;
  /** The steps that begin every exchange on this path, in order. */
  beginningOf(entry: RouteEntry): readonly RequestHandler[];
  /** The step that has the answer checked, where answers are. */
  checkOf(operation: string): readonly RequestHandler[];
  contexts: Validators["contexts"];
  answer: (handler: AnyHandler) => ReturnType<typeof answerWith>;
  answerError: ErrorRequestHandler;
}

interface Way {
  id: string;
  entry: RouteEntry;
  bodyLimit: string;
  accepts: (body: unknown) => boolean;
  authenticate: Authenticate;
  beginning: readonly RequestHandler[];
  check: RequestHandler | undefined;
  answer: ReturnType<typeof answerWith>;
}

/**
 * Express and the validator take most of the time of a short request. A request that is as plain as nearly all are (an
 * operation of devices that takes nothing but a JSON body, by its exact path, with a token) is taken past them: the same
 * exchange, authenticator, body reader, handler and error step, in the same order, and the compiled check of its body in
 * the validator's place. What that check refuses is handed on to the long way, body included, which finds out why, or
 * that it is right after all. So the long way alone decides what is wrong.
 */
export function takeShortWays(app: Express, needs: ShortWayNeeds): RequestListener {
  const ways = waysOf(needs);
  return (req, res) => {
    const way = ways.get(`${req.method} ${req.url}`);
    if (way === undefined || !isPlain(req)) app(req, res);
    else void take(way, { req: req as Request, res: res as Response, app, needs });
  };
}

function waysOf(needs: ShortWayNeeds): ReadonlyMap<string, Way> {
  const { contract } = needs;
  const ways = new Map<string, Way>();
  for (const [id, accepts] of Object.entries(contract.bodyValidators ?? {})) {
    const entry = contract.routes[id];
    if (entry === undefined || entry.bodyLimit === null) throw new Error(`the operation ${id} takes no body`);
    if (entry.permission !== null) throw new Error(`the short way does not ask for the permission of ${id}`);
    ways.set(`${entry.method.toUpperCase()} ${entry.path}`, {
      ...{ id, entry, accepts, bodyLimit: entry.bodyLimit },
      authenticate: needs.authenticatorOf(entry),
      beginning: needs.beginningOf(entry),
      check: needs.checkOf(id)[0],
      answer: needs.answer(needs.handlerOf(id)),
    });
  }
  return ways;
}

/** Whether nothing about the headers wants a decision. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers["content-type"] === "application/json" &&
    Number(headers["content-length"]) > 0 &&
    headers["transfer-encoding"] === undefined &&
    headers["content-encoding"] === undefined &&
    headers.expect === undefined &&
    headers.authorization !== undefined
  );
}

interface Passage {
  req: Request;
  res: Response;
  app: Express;
  needs: ShortWayNeeds;
}

async function take(way: Way, passage: Passage): Promise<void> {
  const { req, res, app, needs } = passage;
  res.locals = Object.create(null) as Response["locals"];
  for (const step of way.beginning) step(req, res, goOn);
  const exchange = exchangeOf(res);
  exchange.operation = way.id;
  exchange.route = way.entry.path;
  try {
    const token = bearerToken(req.headers.authorization);
    exchange.principal = await way.authenticate(token, way.id);
    exchange.token = token;
    const body = needs.body.parse(await needs.body.read(req, res, needs.bodyLimits(way.bodyLimit)));
    if (!way.accepts(body)) {
      exchange.body = body;
      return app(req, res);
    }
    Object.assign(req, { body, params: {}, query: {} });
    if (way.check !== undefined) prepareCheck(way, passage, way.check);
    await way.answer(req, res, goOn);
  } catch (error) {
    dressUp(passage);
    needs.answerError(error, req, res, goOn);
  }
}

/** Gives request and response the methods that Express gives them. */
function dressUp({ req, res, app }: Passage): void {
  Object.setPrototypeOf(req, app.request);
  Object.setPrototypeOf(res, app.response);
  req.res = res;
}

function prepareCheck(way: Way, passage: Passage, check: RequestHandler): void {
  const { req, res, needs } = passage;
  dressUp(passage);
  Object.assign(req, { openapi: { ...needs.contexts.get(way.id), pathParams: {} } });
  check(req, res, goOn);
}

const goOn = (): void => undefined;
