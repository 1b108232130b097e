import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler } from "express";
import { RelayError } from "../protocol/errors.js";
import { type BodyBudgetSettings, type BodyShare, createBodyBudgets } from "./body-budgets.js";
import { malformed, parseJson } from "./json.js";
import type { JsonBounds } from "./json-structure.js";
import { exchangeOf, whenClosed } from "./request-context.js";
import type { OperationContext } from "./validation/validator.js";

export interface BodySettings extends BodyBudgetSettings, JsonBounds {
  /** A body has this long to arrive. */
  bodyTimeoutSeconds: number;
}

/** Reads the JSON bodies of requests. */
export interface BodyReader {
  /** The step for an operation; `limit` gives its size limit in bytes at that moment. For `judgedItems` see `parse`. */
  step(limit: () => number, judgedItems?: string | null): RequestHandler;
  /** The bytes of a body. Throws MESSAGE_TOO_LARGE, OVERLOADED, or INVALID_REQUEST where it does not arrive whole. */
  read(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer>;
  /** The object in a body; throws INVALID_REQUEST. Text in `judgedItems`, a member of it, is left to who judges them. */
  parse(bytes: Buffer, judgedItems?: string | null): object;
}

/**
 * Reads bodies ourselves rather than by a middleware, because three bounds belong together here: the operation's own
 * limit, the time a body may take, and the bytes of all bodies in flight. Bytes are counted as they arrive: what a
 * request merely announces takes nothing from others.
 *
 * @param networkOf the unit by which a client's network address is counted
 */
export function createBodyReader(settings: BodySettings, networkOf: (req: IncomingMessage) => string): BodyReader {
  const budgets = createBodyBudgets(settings, networkOf);
  const timeoutMillis = settings.bodyTimeoutSeconds * 1000;
  const reader: BodyReader = {
    step: (limit, judgedItems) => (req, res, next) => {
      const exchange = exchangeOf(res);
      if (exchange.body !== null) {
        req.body = exchange.body;
        return next();
      }
      if (!hasBody(req)) return next(isBodyRequired(req) ? malformed("is missing") : undefined);
      refuseOtherMediaTypes(req, exchange.contentType);
      reader
        .read(req, res, limit())
        .then((bytes) => {
          req.body = reader.parse(bytes, judgedItems);
          next();
        })
        .catch(next);
    },
    read: (req, res, limit) => readAll(req, res, { limit, timeoutMillis, share: budgets.shareFor(req, res) }),
    parse: (bytes, judgedItems) => asObject(parseJson(bytes, { ...settings, judgedItems })),
  };
  return reader;
}

/** Whether a request brings a body, by its headers (RFC 9112, section 6). */
export function hasBody(req: Request): boolean {
  const length = req.headers["content-length"];
  return req.headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) > 0);
}

function isBodyRequired(req: Request): boolean {
  return (req as Request & { openapi: OperationContext }).openapi.schema.requestBody?.required === true;
}

/** Every body of the contract is an object; the validator is given nothing else. */
function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed("must be an object");
  return value;
}

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

function refuseOtherMediaTypes(req: Request, contentType: string | null): void {
  if (contentType === null || !jsonMediaType.test(contentType)) {
    throw new RelayError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json in UTF-8.");
  }
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new RelayError("UNSUPPORTED_MEDIA_TYPE", "The body must not be compressed.");
  }
}

interface Bounds {
  limit: number;
  timeoutMillis: number;
  share: BodyShare;
}

async function readAll(req: IncomingMessage, res: ServerResponse, bounds: Bounds): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > bounds.limit) throw tooLarge(bounds.limit);
  if (/^100-continue$/i.test(req.headers.expect ?? "")) res.writeContinue();
  // What came in one piece with its headers needs no clock and no listeners, which take longer than the reading.
  if (req.readableLength === Number(req.headers["content-length"])) return readAtOnce(req, createMeter(res, bounds));
  return collect(req, res, { refuse: createMeter(res, bounds), timeoutMillis: bounds.timeoutMillis });
}

interface Guards {
  /** Counts bytes that arrived; says why they are too many, or null. */
  refuse(bytes: number): RelayError | null;
  timeoutMillis: number;
}

function readAtOnce(req: IncomingMessage, refuse: Guards["refuse"]): Buffer {
  const bytes = req.read() as Buffer;
  // Its end is still to be seen.
  req.resume();
  const refusal = refuse(bytes.length);
  if (refusal !== null) throw refusal;
  return bytes;
}

function collect(req: IncomingMessage, res: ServerResponse, guards: Guards): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(deadline);
      req.off("data", take).off("end", finish).off("close", giveUp);
    };
    const finish = (): void => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    // What is still to come is read and thrown away, so that the next request on the connection is found behind it. It has
    // as long to arrive as any request (see listener.ts).
    const stop = (error: RelayError): void => {
      settle();
      req.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      const refusal = guards.refuse(chunk.length);
      if (refusal === null) chunks.push(chunk);
      else stop(refusal);
    };
    const giveUp = (): void => stop(malformed("did not arrive whole"));
    const deadline = setTimeout(() => {
      res.shouldKeepAlive = false;
      stop(malformed("did not arrive in time"));
    }, guards.timeoutMillis);
    req.on("data", take).on("end", finish).on("close", giveUp);
  });
}

/** What was counted is given back when the answer is done, because until then the body is in memory. */
function createMeter(res: ServerResponse, { limit, share }: Bounds): (bytes: number) => RelayError | null {
  let received = 0;
  whenClosed(res, () => share.release());
  return (bytes) => {
    received += bytes;
    const refusal = share.take(bytes);
    return received > limit ? tooLarge(limit) : refusal;
  };
}

function tooLarge(limit: number): RelayError {
  return new RelayError("MESSAGE_TOO_LARGE", `The body is over its limit of ${limit} bytes.`);
}
