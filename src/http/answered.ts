import { performance } from "node:perf_hooks";
import type { Response } from "express";
import type { ErrorId } from "../protocol/errors.js";
import { exchangeOf, whenClosed } from "./exchange.js";

/** What became of a request. */
export interface Answered {
  /** Null where no operation of the contract was asked for. */
  operation: string | null;
  status: number;
  error: ErrorId | null;
  milliseconds: number;
}

/** Tells of a request when its answer has been sent, or its client has gone. */
export function tellWhenAnswered(res: Response, tell: (answered: Answered) => void): void {
  const startedAt = performance.now();
  whenClosed(res, () => {
    const { operation, error } = exchangeOf(res);
    tell({ operation, error, status: res.statusCode, milliseconds: performance.now() - startedAt });
  });
}
