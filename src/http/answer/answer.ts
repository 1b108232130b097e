import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AnswerChunks, BodyChunks } from "../../../generated/handlers.js";
import type { TrustedProxies } from "../../platform/addresses/client-ip.js";
import type { LimitState } from "../../protocol/rate-limit.js";
import { kibibyte } from "../../protocol/units.js";
import { readStreamedBody } from "../body/blob-body.js";
import type { BodyTimeoutSettings } from "../body/body-timeout.js";
import type { ConnectionSettings, Connections } from "../connection/connections.js";
import type { AnyReply } from "../request/contract.js";
import { rateLimitHeaders, withStates } from "../request/rate-limit-headers.js";
import { networkOf, type RequestContext, whenClosed } from "../request/request-context.js";

/** Names and values in turn, the form that Node writes fastest. */
export type HeaderList = readonly string[];

/** The headers of every answer. */
export const everyAnswersHeaders: HeaderList = [
  "Cache-Control",
  "no-store",
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
  "Content-Security-Policy",
  "default-src 'none'; frame-ancestors 'none'",
];

export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] as string, headers[at + 1] as string);
}

export interface AnswerDeps {
  trustedProxies: TrustedProxies;
  config: Pick<ConnectionSettings, "answerStallSeconds"> & BodyTimeoutSettings;
  connections: Pick<Connections, "added" | "authenticated">;
}

/** What a handler is called with. A class, because an object literal with a getter costs much more to create. */
export class HandlerCall {
  readonly params: RequestContext["params"];
  readonly query: RequestContext["query"];
  readonly headers: RequestContext["headers"];
  readonly body: unknown;
  readonly attached: Buffer | null;
  readonly principal: object | null;
  readonly token: string | null;
  readonly requestId: string;
  readonly userAgent: string | null;
  readonly #context: RequestContext;
  readonly #deps: AnswerDeps;

  constructor(context: RequestContext, deps: AnswerDeps) {
    this.params = context.params;
    this.query = context.query;
    this.headers = context.headers;
    this.body = context.body;
    this.attached = context.attached;
    this.principal = context.principal;
    this.token = context.token;
    this.requestId = context.requestId;
    this.userAgent = context.headers["user-agent"] ?? null;
    this.#context = context;
    this.#deps = deps;
  }

  get isHead(): boolean {
    return this.#context.req.method === "HEAD";
  }

  /** The body of an operation that reads it as it arrives. */
  stream(): BodyChunks {
    return readStreamedBody(this.#context, this.#deps.config);
  }

  /** Few operations use this. */
  get ip(): string {
    return networkOf(this.#context.req, this.#deps.trustedProxies);
  }

  gone(): AbortSignal {
    return goneSignal(this.#context);
  }

  left(): Promise<void> {
    return untilClosed(this.#context, this.#deps.config.answerStallSeconds * 1000);
  }

  observeLimits(states: readonly LimitState[], now: number): void {
    this.#context.limits = withStates(this.#context.limits, states, now);
  }

  reply(given: AnyReply): AnyReply {
    return given;
  }
}

/**
 * Settles when the answer has been received or the client has gone, and after `maxMillis` at the latest. On a
 * connection with pipelined requests, an answer waits for the one before it, which may in turn wait for this one.
 */
function untilClosed(context: RequestContext, maxMillis: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, maxMillis);
    whenClosed(context, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Created only on demand: a signal for every request would cost more than many requests do. */
function goneSignal(context: RequestContext): AbortSignal {
  const controller = new AbortController();
  whenClosed(context, () => controller.abort());
  return controller.signal;
}

/** Whether the body of a reply is JSON that is sent as a whole. */
export function isJson({ type, body }: AnyReply): boolean {
  return (type === undefined || type === "application/json") && body !== undefined && !isChunks(body);
}

/**
 * The headers of every answer to a request for an operation: its id, the operation's headers, and the limits that
 * counted it.
 */
export function headersOf({ requestId, limits }: RequestContext, headers: HeaderList): string[] {
  const all = ["X-Request-Id", requestId, ...headers];
  if (limits !== null) all.push(...rateLimitHeaders(limits));
  return all;
}

/** Sends a handler's reply with the headers of its operation. Waits only if the body is sent in chunks. */
export function sendReply(context: RequestContext, headers: HeaderList, reply: AnyReply): Promise<void> | undefined {
  const { res } = context;
  const { status } = reply;
  const allHeaders = headersOf(context, headers);
  if (reply.headers === undefined && isJson(reply)) {
    writeJson(res, { status, headers: allHeaders, text: jsonOf(reply) });
    return undefined;
  }
  res.statusCode = status;
  setHeaders(res, allHeaders);
  return sendWithOwnHeaders(res, reply);
}

export function jsonOf({ body, encode = JSON.stringify }: AnyReply): string | Buffer {
  return encode(body as never);
}

/** Sends JSON as a whole; adds its headers to the list. */
export function writeJson(
  res: ServerResponse,
  answer: { status: number; headers: string[]; text: string | Buffer },
): void {
  const { status, headers, text } = answer;
  headers.push("Content-Type", jsonContentType, "Content-Length", String(Buffer.byteLength(text)));
  res.writeHead(status, headers);
  res.end(text);
}

/** A reply may replace headers of its operation, so they are set one by one. */
function sendWithOwnHeaders(res: ServerResponse, reply: AnyReply): Promise<void> | undefined {
  const { type = "application/json", body, headers = {} } = reply;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) res.setHeader(name, String(value));
  }
  if (isChunks(body)) {
    res.setHeader("Content-Type", withCharset(type));
    return sendChunks(res, body);
  }
  if (body === undefined) res.end();
  else sendText(res, withCharset(type), isJson(reply) ? jsonOf(reply) : String(body));
  return undefined;
}

/** Sends a JSON body; the headers are already set. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.statusCode = status;
  sendText(res, jsonContentType, JSON.stringify(body));
}

function sendText(res: ServerResponse, contentType: string, text: string | Buffer): void {
  res.setHeader("Content-Type", contentType);
  res.setHeader("Content-Length", String(Buffer.byteLength(text)));
  res.end(text);
}

const jsonContentType = "application/json; charset=utf-8";

function withCharset(type: string): string {
  return type.includes("charset=") || type === "application/octet-stream" ? type : `${type}; charset=utf-8`;
}

function isChunks(body: unknown): body is AnswerChunks {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Sends a body chunk by chunk, as fast as the client reads it. A client that goes away ends the production of chunks.
 * If producing chunks fails, this rejects and the connection is cut, so that nobody takes the part that was sent for
 * the whole.
 */
async function sendChunks(res: ServerResponse, chunks: AnswerChunks): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), res);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Shorter answers need no check between two inspections of their connections. */
const longAnswerBytes = 64 * kibibyte;

/** Counts a long answer that its client has not read yet. */
export function countLongAnswer({ res }: RequestContext, connections: Pick<Connections, "added">): void {
  const unread = res.socket?.writableLength ?? 0;
  if (unread >= longAnswerBytes) connections.added(unread);
}
