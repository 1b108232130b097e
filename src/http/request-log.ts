import { performance } from "node:perf_hooks";
import type { Response } from "express";
import type { Logger } from "../platform/logger.js";
import type { Answered } from "./answer.js";
import type { Contract } from "./contract.js";
import { exchangeOf, hasLeft, whenClosed } from "./request-context.js";

type Refused = Answered & { requestId: string; method: string };

/** The same line of a request that was refused before anything of it was looked at. */
export function logRefused(logger: Logger, { routes }: Contract, refused: Refused): void {
  if (!logger.isLevelEnabled("info")) return;
  const { requestId, method, operation, status, error, milliseconds } = refused;
  const route = routes[operation ?? ""]?.path ?? null;
  const line = { request_id: requestId, method, route, operation, status, duration_ms: rounded(milliseconds), error };
  logger.info(line, "request");
}

/** One line per request. It names the route, never the URL, the query, the caller or his address. */
export function logWhenDone(logger: Logger, method: string, res: Response): void {
  if (!logger.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  whenClosed(res, () => {
    const { requestId, operation, route, error } = exchangeOf(res);
    const duration = rounded(performance.now() - startedAt);
    const line = { request_id: requestId, method, route, operation, status: res.statusCode, duration_ms: duration };
    logger.info({ ...line, ...(error && { error }), ...(!hasLeft(res) && { aborted: true }) }, "request");
  });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
