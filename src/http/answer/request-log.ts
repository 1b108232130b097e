import { performance } from "node:perf_hooks";
import type { OperationId } from "../../../generated/handlers.js";
import type { Logger } from "../../platform/logger.js";
import type { ErrorId } from "../../protocol/errors.js";
import type { Contract } from "../request/contract.js";
import { type RequestContext, wasReceived, whenClosed } from "../request/request-context.js";
import type { LogSampling } from "./log-sampling.js";

/** How a request ended. */
export interface Answered {
  /** Null if no operation of the contract was asked for. */
  operation: string | null;
  status: number;
  error: ErrorId | null;
  milliseconds: number;
  requestId: string;
  method: string;
}

/** Reports a request when its answer has been sent or its client has gone. */
export function notifyWhenAnswered(context: RequestContext, report: (answered: Answered) => void): void {
  const startedAt = performance.now();
  whenClosed(context, () => {
    const { operation, error, req, res, requestId } = context;
    const milliseconds = performance.now() - startedAt;
    report({ operation, error, status: res.statusCode, milliseconds, requestId, method: req.method ?? "" });
  });
}

const clientError = 400;
/** The operations that load balancers call every few seconds. */
const probes: ReadonlySet<string | null> = new Set<OperationId | null>(["getHealthz", "getReadyz"]);

/**
 * Requests that were refused or cut off are logged at level info; a fault also has a separate line at a higher level,
 * with the same request id. Successful requests and probes are logged at level debug: there are too many, and the
 * metrics count them.
 */
function levelOf(operation: string | null, wasHealthy: boolean): "info" | "debug" | "trace" {
  if (probes.has(operation)) return "trace";
  return wasHealthy ? "debug" : "info";
}

/**
 * The same log line for a request that was refused by load shedding, at a level at which a flood of them does not fill
 * the log.
 */
export function logRefused(logger: Logger, { routes }: Contract, refused: Answered): void {
  if (!logger.isLevelEnabled("debug")) return;
  const { requestId, method, operation, status, error, milliseconds } = refused;
  const route = routes[operation ?? ""]?.path ?? null;
  const line = { request_id: requestId, method, route, operation, status, duration_ms: rounded(milliseconds), error };
  logger.debug(line, "request");
}

/** Writes the line of a request when it is done. It names the route, never the URL, the query, the caller or the caller's address. */
export function logWhenDone(logger: Logger, sampling: LogSampling, context: RequestContext): void {
  if (!logger.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  whenClosed(context, () => {
    const { req, res, requestId, operation, route, error } = context;
    const level = levelOf(operation, wasReceived(res) && res.statusCode < clientError);
    if (!logger.isLevelEnabled(level)) return;
    if (level === "info" && !sampling.admits(`${operation ?? "none"} ${error ?? res.statusCode}`)) return;
    const duration = rounded(performance.now() - startedAt);
    const line = {
      request_id: requestId,
      method: req.method,
      route,
      operation,
      status: res.statusCode,
      duration_ms: duration,
    };
    logger[level]({ ...line, ...(error && { error }), ...(!wasReceived(res) && { aborted: true }) }, "request");
  });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
