import type { RequestHandler } from "express";
import type { TrustedProxies } from "../platform/addresses/client-ip.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { everyAnswersHeaders } from "./answer/answer.js";
import { isForPages, originHeadersOf } from "./answer/cors.js";
import { createErrorAnswer } from "./answer/errors.js";
import { createLogSampling } from "./answer/log-sampling.js";
import { createRefusals } from "./answer/refusals.js";
import { type Answered, logRefused, logWhenDone, notifyWhenAnswered } from "./answer/request-log.js";
import type { LinkApp } from "./answer/shared-links.js";
import { type BodySettings, createBodyReader } from "./body/body.js";
import { type ConnectionSettings, createConnections } from "./connection/connections.js";
import {
  closeListener,
  createListener,
  type ListenerSettings,
  renewTls,
  type TlsIdentity,
} from "./connection/listener.js";
import { createProxyFaults } from "./connection/proxy-faults.js";
import type { CallerCheck, Operation, OperationDeps } from "./operation.js";
import { createCallerBound } from "./overload/caller-bound.js";
import { createLoadShedder, type LoadSheddingBounds } from "./overload/load-shedding.js";
import { createOverloadLog } from "./overload/overload-log.js";
import type { AnyHandler, Authenticators, Contract, PrincipalKind, RouteEntry } from "./request/contract.js";
import { beginRequest, networkOf } from "./request/request-context.js";
import { createUnknownRoute } from "./request/unknown-route.js";
import { createRouter } from "./router.js";
import { openapiValidatorOf } from "./validation/openapi-validator.js";
import { operationIn } from "./validation/parameters.js";
import { createRequestValidator } from "./validation/request-validator.js";

export interface HttpDeps {
  contract: Contract;
  /** A handler for every operation of the contract: the generated `AllHandlers`. */
  handlers: object;
  authenticators: Authenticators;
  /**
   * The size limit in bytes behind a name of the route table; asked at each request because some change at run time.
   */
  bodyLimits: (name: string) => number;
  /** Pages beside the contract's operations. */
  pages: RequestHandler;
  /** Where browsers are sent with shared links. */
  linkApp: LinkApp | null;
  /** Fail if a response violates the contract: for tests and development. */
  validateResponses: boolean;
  trustedProxies: TrustedProxies;
  realm: string;
  /** Called for every request when it has ended. */
  onAnswered: (answered: Answered) => void;
  config: BodySettings & ListenerSettings & ConnectionSettings;
  /**
   * Checks of callers before a body over `longBodyBytes` is read, by operation. Reading and parsing a long body takes a
   * large part of a second, and a caller without any remaining limit could cause this work again and again. So the
   * limits are checked both before and after a long body is read.
   */
  beforeLongBody: Readonly<Record<string, CallerCheck>>;
  /** Operation ids and bounds: requests are refused while more of them are in progress than can be answered in time. */
  loadShedding: Readonly<Record<string, LoadSheddingBounds>>;
  /** How many requests of an operation each caller may have in progress. */
  atOncePerCaller: Readonly<Record<string, number>>;
  /** Null for plain HTTP. */
  tls: TlsIdentity | null;
  logger: Logger;
  random: Random;
  clock: { nowSeconds(): number };
}

export type HttpServer = ReturnType<typeof createHttpServer>;

/**
 * The HTTP layer. It knows the contract but no feature. Every request ends with an answer of the contract, a page, or an
 * error of the catalogue.
 */
export function createHttpServer(deps: HttpDeps) {
  const { contract, trustedProxies, config, logger, random } = deps;
  const operations = createOperations(deps);
  const answerError = createErrorAnswer(deps);
  const connections = createConnections(config, trustedProxies);
  const overloadLog = createOverloadLog(logger);
  const begin = beginning(deps);
  const listener = createRouter({
    operations,
    pages: deps.pages,
    linkApp: deps.linkApp,
    unknownRoute: createUnknownRoute(Object.values(deps.contract.routes)),
    begin,
    bodies: createBodyReader(config, (req) => networkOf(req, trustedProxies)),
    refusals: createRefusals({
      requestId: () => random.uuid(),
      onRefused(refused) {
        overloadLog.refused(refused.operation);
        logRefused(logger, contract, refused);
        deps.onAnswered(refused);
      },
    }),
    answerError,
    longBodyBytes: config.longBodyBytes,
    connections,
    trustedProxies,
    config,
  });
  const failed = (error: Error): void => logger.error({ err: error }, "the listener failed");
  const server = createListener(listener, { ...config, failed }, deps.tls);
  connections.watch(server);
  const proxyFaults = createProxyFaults({ ...deps, nowSeconds: () => deps.clock.nowSeconds() });
  proxyFaults.watch(server);
  return {
    /** Answers every request of the server. */
    listener,
    /** Not yet listening. */
    server,
    /** Lets open requests finish for `graceSeconds`, then cuts them. */
    close: (graceSeconds: number): Promise<void> => closeListener(server, graceSeconds),
    /** Serves another certificate from now on; does nothing if the server uses plain HTTP. */
    renewTls: (identity: TlsIdentity): void => renewTls(server, identity),
    /** The Unix time in seconds since which an untrusted proxy has been sending requests; 0 if none does. */
    untrustedProxySince: proxyFaults.untrustedSince,
    /** The same for a trusted proxy whose entries of X-Forwarded-For have no address. */
    unreadableProxySince: proxyFaults.unreadableSince,
  };
}

/** Begins the context of a request, its log line and its report. */
function beginning({ random, logger, clock, onAnswered }: HttpDeps): OperationDeps["begin"] {
  const sampling = createLogSampling({ logger, clock, omittedMessage: "more requests were refused than are logged" });
  return (req, res) => {
    const context = beginRequest(req, res, random.uuid());
    logWhenDone(logger, sampling, context);
    notifyWhenAnswered(context, onAnswered);
    return context;
  };
}

/** Every operation of the table of routes, with its handler. */
function createOperations(deps: HttpDeps): Operation[] {
  const { contract, validateResponses } = deps;
  const handlers = deps.handlers as Readonly<Record<string, AnyHandler | undefined>>;
  return Object.entries(contract.routes).map(([id, entry]) => {
    const handler = handlers[id];
    if (typeof handler !== "function") throw new Error(`the operation ${id} has no handler`);
    const bounds = deps.loadShedding[id];
    const atOnce = deps.atOncePerCaller[id];
    return {
      id,
      entry,
      ...readOperation(id, entry, contract),
      authenticators: entry.security.map((kind) => deps.authenticators[kind as PrincipalKind]),
      tokenOptional: entry.tokenOptional === true,
      permission: entry.permission,
      loadShedder: bounds === undefined ? null : createLoadShedder(bounds),
      callerBound: atOnce === undefined ? null : createCallerBound(atOnce),
      checkCaller: deps.beforeLongBody[id] ?? null,
      body: bodyOf(id, entry, deps),
      handler,
      checkAnswer: validateResponses
        ? (context, answer) => openapiValidatorOf(contract).checkAnswer(id, context, answer)
        : null,
    };
  });
}

type ReadOperation = Pick<Operation, "headers" | "isForPages" | "validate">;

const readOperations = new WeakMap<Contract, Map<string, ReadOperation>>();

/** What follows from the contract alone. Relays of one process share it: reading all operations takes a tenth of a relay's start. */
function readOperation(id: string, entry: RouteEntry, contract: Contract): ReadOperation {
  const known = readOperations.get(contract) ?? new Map<string, ReadOperation>();
  readOperations.set(contract, known);
  const read = known.get(id);
  if (read !== undefined) return read;
  checkRoute(id, entry, contract);
  const made = {
    headers: [...everyAnswersHeaders, ...originHeadersOf(entry, contract)],
    isForPages: isForPages(entry, contract),
    validate: createRequestValidator(id, contract),
  };
  known.set(id, made);
  return made;
}

/** Requests are routed by the table of routes, and validated by the contract. */
function checkRoute(id: string, { method, path }: RouteEntry, { openapi }: Contract): void {
  const { paths } = openapi as { paths: Record<string, Record<string, { operationId?: string }>> };
  const template = path.replaceAll(/:(\w+)/g, "{$1}");
  if (paths[template]?.[method]?.operationId === id) return;
  throw new Error(`the contract has no operation ${id} at ${method.toUpperCase()} ${template}`);
}

function bodyOf(id: string, { bodyLimit }: RouteEntry, { contract, bodyLimits }: HttpDeps): Operation["body"] {
  if (bodyLimit === null) return null;
  if (contract.bodyValidators[id] === undefined) throw new Error(`the body of the operation ${id} has no validator`);
  const isRequired = operationIn(contract.openapi, id)?.requestBody?.required === true;
  return { isRequired, limit: () => bodyLimits(bodyLimit) };
}
