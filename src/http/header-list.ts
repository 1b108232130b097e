import type { ServerResponse } from "node:http";
import type { Response } from "express";
import { exchangeOf } from "./request-context.js";

/** Names and values in turn, as Node writes them fastest. */
export type HeaderList = readonly string[];

export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] as string, headers[at + 1] as string);
}

/** Sets the headers that were left for the end, so that whoever comes next finds them. */
export function setWaitingHeaders(res: Response): void {
  const exchange = exchangeOf(res);
  setHeaders(res, exchange.waitingHeaders);
  exchange.waitingHeaders = [];
}
