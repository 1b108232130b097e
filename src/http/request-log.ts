import { performance } from "node:perf_hooks";
import type { Response } from "express";
import type { Logger } from "../platform/logger.js";
import { exchangeOf } from "./exchange.js";

/** One line per request. It names the route, never the URL, the query, the caller or his address. */
export function logWhenDone(logger: Logger, method: string, res: Response): void {
  if (!logger.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  res.once("close", () => {
    const { requestId, operation, route, error } = exchangeOf(res);
    const duration = Math.round((performance.now() - startedAt) * 10) / 10;
    const line = { request_id: requestId, method, route, operation, status: res.statusCode, duration_ms: duration };
    logger.info({ ...line, ...(error && { error }), ...(!res.writableFinished && { aborted: true }) }, "request");
  });
}
