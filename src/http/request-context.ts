import type { ServerResponse } from "node:http";
import type { Request, Response } from "express";
import type { ErrorId } from "../protocol/errors.js";
import type { Authenticators } from "./contract.js";

/** What the front door knows about one request while it is being answered. */
export interface Exchange {
  readonly requestId: string;
  readonly authenticators: Authenticators;
  /** Set once the route is known; logs name these, never the URL. */
  operation: string | null;
  route: string | null;
  principal: object | null;
  token: string | null;
  /** What the authenticator threw. The validator keeps no more of it than a status, so it is carried past it here. */
  authenticationFailure: unknown;
  /** The Content-Type as it was sent; the header itself is normalised before anything reads it. */
  contentType: string | null;
  /** Whether the handler was called: of what is thrown after that, only catalogue errors are the caller's doing. */
  isHandled: boolean;
  /** The parsed body, where it was read before Express was asked (see short-way.ts). */
  body: object | null;
  error: ErrorId | null;
  /** Headers of the answer that are not set one by one, but written with it (see short-way.ts). */
  waitingHeaders: readonly string[];
  /** What is still to be done when the answer has been sent, or its client has gone. */
  readonly closing: (() => void)[];
}

export function beginExchange(
  res: Response,
  { requestId, authenticators }: Pick<Exchange, "requestId" | "authenticators">,
): Exchange {
  const exchange: Exchange = {
    requestId,
    authenticators,
    operation: null,
    route: null,
    principal: null,
    token: null,
    authenticationFailure: null,
    contentType: null,
    isHandled: false,
    body: null,
    error: null,
    waitingHeaders: [],
    closing: [],
  };
  res.locals["exchange"] = exchange;
  res.once("close", () => {
    for (const work of exchange.closing) work();
  });
  return exchange;
}

/** Has something done when the answer has been sent, or its client has gone: a listener for each would cost more. */
export function whenClosed(res: ServerResponse, work: () => void): void {
  exchangeOf(res as Response).closing.push(work);
}

/** Whether an answer that has closed was taken whole. Node calls one finished, too, whose connection was cut off. */
export function hasLeft(res: ServerResponse): boolean {
  return res.writableFinished && !res.req.socket.destroyed;
}

/** Whether the response has an exchange already. */
export function isBegun(res: Response): boolean {
  return res.locals["exchange"] !== undefined;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals["exchange"] as Exchange;
}

/** The exchange of a request, for code that is handed the request alone. */
export function exchangeOfRequest(req: Request): Exchange {
  return exchangeOf(req.res as Response);
}
