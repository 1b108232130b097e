import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { exchangeOf } from "./request-context.js";

/** Throws where nothing of a caller's body would be taken. */
export type CallerCheck = (principal: object) => Promise<void>;

/** Checks of callers that are asked before a long body is read, by operation, and how long a body is then. */
export interface LongBodyChecks {
  bytes: number;
  of: Readonly<Record<string, CallerCheck>>;
}

// To read and to parse a long body takes the event loop for a good part of a second, and whose limits are used up could
// have that done as often as it likes. So with a long body the limits are asked before it is read, as well as after.

/** Whether a body is long, or of a length that is not announced. */
export function isLongBody({ headers }: IncomingMessage, bytes: number): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > bytes;
}

/** The step of an operation; none where it has no check. */
export function checkBeforeLongBody(operation: string, checks: LongBodyChecks): RequestHandler[] {
  const check = checks.of[operation];
  if (check === undefined) return [];
  return [
    async (req, res, next) => {
      const { principal, body } = exchangeOf(res);
      // What comes from the short way was checked there.
      if (principal !== null && body === null && isLongBody(req, checks.bytes)) await check(principal);
      next();
    },
  ];
}
