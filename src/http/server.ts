import type { Server } from "node:http";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { TrustedProxies } from "../platform/ip.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { nameAllFaults } from "./all-faults.js";
import { answerWith, checkAnswer } from "./answer.js";
import { type Answered, tellWhenAnswered } from "./answered.js";
import { type BodySettings, createBodySteps } from "./body.js";
import type { AnyHandler, Authenticators, Contract } from "./contract.js";
import { allowOrigins } from "./cors.js";
import { createErrorStep, refuseMethod, refuseUnknownRoute } from "./errors.js";
import { beginExchange } from "./exchange.js";
import { closeListener, createListener, type ListenerSettings, renewTls, type TlsIdentity } from "./listener.js";
import { admit } from "./operation.js";
import { logWhenDone } from "./request-log.js";
import { byPath } from "./routing.js";
import { authenticate } from "./security.js";
import { validatorsOf } from "./validator.js";

export interface HttpNeeds {
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
  limits: BodySettings & ListenerSettings;
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
export function createHttpServer(needs: HttpNeeds): HttpServer {
  const { contract } = needs;
  const app = createApp();
  app.use(open(needs));
  const answerError = createErrorStep({ logger: needs.logger, realm: needs.realm, document: contract.openapi });
  const openapiReady = mountOperations(app, needs, answerError);
  if (needs.pages !== undefined) app.use(createSite(needs.pages));
  app.use(refuseUnknownRoute);
  app.use(answerError);
  const server = createListener(app, needs.limits, needs.tls ?? null);
  return {
    app,
    server,
    openapiReady,
    close: (graceSeconds) => closeListener(server, graceSeconds),
    renewTls: (identity) => renewTls(server, identity),
  };
}

function mountOperations(app: Express, needs: HttpNeeds, answerError: ErrorRequestHandler): Promise<void> {
  const { contract, trustedProxies } = needs;
  const handlers = handlersOf(needs);
  const validators = validatorsOf(contract, needs);
  const readBody = createBodySteps(needs.limits);
  for (const { path, operations } of byPath(contract.routes)) {
    const route = app.route(path);
    const origins = allowOrigins({ path, operations }, contract);
    if (origins !== undefined) route.all(origins);
    const methods = operations.map(({ entry }) => entry.method);
    for (const { id, entry } of operations) {
      const { bodyLimit } = entry;
      const { security, request, response } = validators.of(id);
      route[entry.method](
        admit({ id, entry, methods, contexts: validators.contexts }),
        ...(response === null ? [] : [checkAnswer(response, answerError)]),
        authenticate(security),
        ...(bodyLimit === null ? [] : [readBody(() => needs.bodyLimits(bodyLimit))]),
        nameAllFaults(request, contract.openapi),
        answerWith(handlers[id] as AnyHandler, trustedProxies),
      );
    }
    route.all(refuseMethod(methods));
  }
  return validators.ready;
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
function open({ random, authenticators, logger, onAnswered }: HttpNeeds): RequestHandler {
  return (req, res, next) => {
    const { requestId } = beginExchange(res, { requestId: random.uuid(), authenticators });
    logWhenDone(logger, req.method, res);
    if (onAnswered !== undefined) tellWhenAnswered(res, onAnswered);
    res.setHeader("X-Request-Id", requestId);
    res.setHeader("Cache-Control", "no-store");
    res.setHeader("X-Content-Type-Options", "nosniff");
    res.setHeader("Referrer-Policy", "no-referrer");
    res.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    next();
  };
}

function handlersOf({ contract, handlers }: HttpNeeds): Readonly<Record<string, AnyHandler>> {
  const known = handlers as Readonly<Record<string, AnyHandler>>;
  const missing = Object.keys(contract.routes).find((id) => typeof known[id] !== "function");
  if (missing !== undefined) throw new Error(`the operation ${missing} has no handler`);
  return known;
}
