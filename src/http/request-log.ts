import { performance } from "node:perf_hooks";
import type { Logger } from "../platform/logger.js";
import type { ErrorId } from "../protocol/errors.js";
import type { Contract } from "./contract.js";
import { type RequestContext, wasReceived, whenClosed } from "./request-context.js";

type Refused = Answered & { requestId: string; method: string };

/** What became of a request. */
export interface Answered {
  /** Null where no operation of the contract was asked for. */
  operation: string | null;
  status: number;
  error: ErrorId | null;
  milliseconds: number;
}

/** Reports a request when its answer has been sent or its client has gone. */
export function notifyWhenAnswered(context: RequestContext, report: (answered: Answered) => void): void {
  const startedAt = performance.now();
  whenClosed(context, () => {
    const { operation, error, res } = context;
    report({ operation, error, status: res.statusCode, milliseconds: performance.now() - startedAt });
  });
}

/** The same log line for a request that was refused by load shedding. */
export function logRefused(logger: Logger, { routes }: Contract, refused: Refused): void {
  if (!logger.isLevelEnabled("info")) return;
  const { requestId, method, operation, status, error, milliseconds } = refused;
  const route = routes[operation ?? ""]?.path ?? null;
  const line = { request_id: requestId, method, route, operation, status, duration_ms: rounded(milliseconds), error };
  logger.info(line, "request");
}

/** Writes one line per request. It names the route, never the URL, the query, the caller or the caller's address. */
export function logWhenDone(logger: Logger, context: RequestContext): void {
  if (!logger.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  whenClosed(context, () => {
    const { req, res, requestId, operation, route, error } = context;
    const duration = rounded(performance.now() - startedAt);
    const line = {
      request_id: requestId,
      method: req.method,
      route,
      operation,
      status: res.statusCode,
      duration_ms: duration,
    };
    logger.info({ ...line, ...(error && { error }), ...(!wasReceived(res) && { aborted: true }) }, "request");
  });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
