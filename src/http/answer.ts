import type { ServerResponse } from "node:http";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { clientIp, networkKey, type TrustedProxies } from "../platform/ip.js";
import type { AnyHandler, AnyReply } from "./contract.js";
import { exchangeOf } from "./exchange.js";
import { setWaitingHeaders } from "./header-list.js";
import { isPieces, sendPieces } from "./pieces.js";

/** The last step of an operation: calls its handler with what was validated, and sends what it replies. */
export function answerWith(handler: AnyHandler, trustedProxies: TrustedProxies): RequestHandler {
  return async (req, res) => {
    exchangeOf(res).isHandled = true;
    await send(res, await handler(callOf(req, res, trustedProxies)));
  };
}

/**
 * Lets the validator look at every JSON body before it is sent. It reports a body that does not fit by calling `next`
 * once more, long after the request went on; so that comes here, and answers in the body's stead.
 */
export function checkAnswer(response: RequestHandler, answerError: ErrorRequestHandler): RequestHandler {
  return (req, res, next) => {
    let isHooked = false;
    response(req, res, (error?: unknown) => {
      if (isHooked) return answerError(error, req, res, next);
      isHooked = true;
      next(error);
    });
  };
}

function callOf(req: Request, res: Response, trustedProxies: TrustedProxies): object {
  const { principal, token, requestId } = exchangeOf(res);
  return {
    params: req.params,
    query: req.query,
    headers: req.headers,
    body: req.body,
    principal,
    // Few operations ask for it.
    get ip() {
      return networkKey(clientIp(req.socket.remoteAddress ?? "", forwardedFor(req), trustedProxies));
    },
    userAgent: req.headers["user-agent"] ?? null,
    requestId,
    token,
    gone: () => goneSignal(res),
    reply,
  };
}

/** Made only for those who wait: a signal for every request would cost more than many a request. */
function goneSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once("close", () => controller.abort());
  return controller.signal;
}

function reply(given: AnyReply): AnyReply {
  return given;
}

/** Node joins repeated headers of this name by comma. */
function forwardedFor(req: Request): string | undefined {
  const value = req.headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}

async function send(res: Response, { status, type, body, headers }: AnyReply): Promise<void> {
  res.statusCode = status;
  const hasOwnHeaders = headers !== undefined || type !== undefined || body === undefined;
  if (hasOwnHeaders || isPieces(body)) setWaitingHeaders(res);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) res.setHeader(name, String(value));
  }
  if (isPieces(body)) await sendPieces(res.type(type ?? "application/json"), body);
  else if (type !== undefined && type !== "application/json") res.type(type).send(body);
  else if (body === undefined) res.end();
  else if (isDressed(res)) res.json(body);
  else sendJson(res, body);
}

/** Whether Express has given the response its methods. */
function isDressed(res: ServerResponse): boolean {
  return "json" in res;
}

/** A response that Express has not seen; the answer is the same. */
function sendJson(res: Response, body: unknown): void {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const content = ["Content-Type", "application/json; charset=utf-8", "Content-Length", length];
  res.writeHead(res.statusCode, [...exchangeOf(res).waitingHeaders, ...content]);
  res.end(text);
}
