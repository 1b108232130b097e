import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { TrustedProxies } from "../platform/net/client-ip.js";
import type { ErrorId } from "../protocol/errors.js";
import { kibibyte } from "../protocol/units.js";
import { isChunks, sendChunks } from "./chunks.js";
import type { ConnectionSettings, Connections } from "./connections.js";
import type { AnyHandler, AnyReply } from "./contract.js";
import { setWaitingHeaders } from "./header-list.js";
import { networkOf } from "./network.js";
import { exchangeOf, whenClosed } from "./request-context.js";

export interface AnswerDeps {
  trustedProxies: TrustedProxies;
  config: Pick<ConnectionSettings, "answerStallSeconds">;
  connections: Pick<Connections, "added">;
}

/** Answers of fewer bytes are too short to need a bound between two looks at their connections. */
const longAnswerBytes = 64 * kibibyte;

/** The last step of an operation: calls its handler with what was validated, and sends what it replies. */
export function answerWith(handler: AnyHandler, deps: AnswerDeps): RequestHandler {
  return async (req, res) => {
    exchangeOf(res).isHandled = true;
    await send(res, await handler(new HandlerCall(req, res, deps)));
    const waiting = res.socket?.writableLength ?? 0;
    if (waiting >= longAnswerBytes) deps.connections.added(waiting);
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

/** What a handler is called with. A class, because an object with an accessor of its own costs much more to make. */
class HandlerCall {
  readonly params: Request["params"];
  readonly query: Request["query"];
  readonly headers: Request["headers"];
  readonly body: unknown;
  readonly principal: object | null;
  readonly token: string | null;
  readonly requestId: string;
  readonly userAgent: string | null;
  readonly #req: Request;
  readonly #res: Response;
  readonly #needs: AnswerDeps;

  constructor(req: Request, res: Response, deps: AnswerDeps) {
    const { principal, token, requestId } = exchangeOf(res);
    this.params = req.params;
    this.query = req.query;
    this.headers = req.headers;
    this.body = req.body;
    this.principal = principal;
    this.token = token;
    this.requestId = requestId;
    this.userAgent = req.headers["user-agent"] ?? null;
    this.#req = req;
    this.#res = res;
    this.#needs = deps;
  }

  /** Few operations ask for it. */
  get ip(): string {
    return networkOf(this.#req, this.#needs.trustedProxies);
  }

  gone(): AbortSignal {
    return goneSignal(this.#res);
  }

  left(): Promise<void> {
    return untilLeft(this.#res, this.#needs.config.answerStallSeconds * 1000);
  }

  reply(given: AnyReply): AnyReply {
    return given;
  }
}

/**
 * Settles when the answer has been taken or the client has gone. On a connection on which requests are sent ahead, an
 * answer waits for the one before it, which may in turn wait for this: so it does not take for ever.
 */
function untilLeft(res: Response, mostMillis: number): Promise<void> {
  return new Promise((resolve) => {
    if (res.closed) return resolve();
    const timer = setTimeout(resolve, mostMillis);
    whenClosed(res, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Made only for those who wait: a signal for every request would cost more than many a request. */
function goneSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once("close", () => controller.abort());
  return controller.signal;
}

async function send(res: Response, { status, type, body, headers }: AnyReply): Promise<void> {
  res.statusCode = status;
  const hasOwnHeaders = headers !== undefined || type !== undefined || body === undefined;
  if (hasOwnHeaders || isChunks(body)) setWaitingHeaders(res);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) res.setHeader(name, String(value));
  }
  if (isChunks(body)) await sendChunks(res.type(type ?? "application/json"), body);
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

/** What became of a request. */
export interface Answered {
  /** Null where no operation of the contract was asked for. */
  operation: string | null;
  status: number;
  error: ErrorId | null;
  milliseconds: number;
}

/** Tells of a request when its answer has been sent, or its client has gone. */
export function notifyWhenAnswered(res: Response, tell: (answered: Answered) => void): void {
  const startedAt = performance.now();
  whenClosed(res, () => {
    const { operation, error } = exchangeOf(res);
    tell({ operation, error, status: res.statusCode, milliseconds: performance.now() - startedAt });
  });
}
