import type { IncomingMessage } from "node:http";
import type { Awaitable } from "../../platform/concurrency/awaitable.js";
import { RelayError } from "../../protocol/errors.js";
import { type RequestContext, whenClosed } from "../request/request-context.js";
import { type BodyBudgetSettings, type BodyShare, createBodyBudgets } from "./body-budgets.js";
import { type BodyTimeoutSettings, watchBody } from "./body-timeout.js";
import { type JsonBounds, malformed, parseJson } from "./json.js";
import { parseLongJson } from "./long-json.js";

export interface BodySettings extends BodyBudgetSettings, BodyTimeoutSettings, JsonBounds {
  /** Bodies over this length are long. */
  longBodyBytes: number;
}

/** Reads the JSON bodies of requests. */
export type BodyReader = ReturnType<typeof createBodyReader>;

/**
 * Reads bodies without a middleware, because three bounds are checked together: the operation's limit, the pace of a
 * body, and the bytes of all bodies in flight. Bytes are counted as they arrive, so an announced length alone takes
 * nothing from others.
 *
 * @param networkOf the unit by which a client's network address is counted
 */
export function createBodyReader(settings: BodySettings, networkOf: (req: IncomingMessage) => string) {
  const budgets = createBodyBudgets(settings, networkOf);
  const { longBodyBytes, jsonMaxDepth, jsonMaxValues } = settings;
  return {
    /** The bytes of a body. Throws MESSAGE_TOO_LARGE, OVERLOADED, REQUEST_TIMEOUT, or INVALID_REQUEST if its sender goes. */
    read: (context: RequestContext, limit: number): Promise<Buffer> =>
      readAll(context, { limit, settings, share: budgets.shareFor(context) }),
    /**
     * The object in a body; throws INVALID_REQUEST. Text in the member `itemsCheckedApart` is not checked (see json.ts). A long
     * body is parsed in slices.
     */
    parse(bytes: Buffer, itemsCheckedApart?: string | null): Awaitable<object> {
      // The settings are often a whole configuration: copying it would cost more than parsing a message.
      const options = { jsonMaxDepth, jsonMaxValues, itemsCheckedApart };
      if (bytes.length <= longBodyBytes) return asObject(parseJson(bytes, options));
      return parseLongJson(bytes, options).then(asObject);
    },
  };
}

/**
 * Whether a body must be read, judging by the headers of the request (RFC 9112, section 6).
 *
 * @param attachedBytes the media type of JSON followed by bytes, if the operation also accepts it
 * @throws RelayError INVALID_REQUEST if a required body is missing, UNSUPPORTED_MEDIA_TYPE
 */
export function bringsBody(
  req: IncomingMessage,
  { isRequired }: { isRequired: boolean },
  attachedBytes?: string | null,
): boolean {
  const { headers } = req;
  const length = headers["content-length"];
  if (headers["transfer-encoding"] === undefined && !(length !== undefined && Number(length) > 0)) {
    if (isRequired) throw malformed("is missing");
    return false;
  }
  refuseOtherMediaTypes(headers, attachedBytes);
  return true;
}

/** Whether a body is long, or its length is not announced. */
export function isLongBody({ headers }: IncomingMessage, bytes: number): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > bytes;
}

/** Every body of the contract is an object; the validators get nothing else. */
function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed("must be an object");
  return value;
}

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

function refuseOtherMediaTypes(headers: IncomingMessage["headers"], attachedBytes?: string | null): void {
  const type = headers["content-type"];
  const isTaken = type === "application/json" || (type !== undefined && type === attachedBytes);
  if (!isTaken && (type === undefined || !jsonMediaType.test(type))) {
    throw new RelayError("UNSUPPORTED_MEDIA_TYPE", "the body must be application/json in UTF-8");
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new RelayError("UNSUPPORTED_MEDIA_TYPE", "the body must not be compressed");
  }
}

interface Bounds {
  limit: number;
  settings: BodyTimeoutSettings;
  share: BodyShare;
}

async function readAll(context: RequestContext, bounds: Bounds): Promise<Buffer> {
  const { req, res } = context;
  const { headers } = req;
  if (Number(headers["content-length"] ?? 0) > bounds.limit) throw tooLarge(bounds.limit);
  if (headers.expect !== undefined && /^100-continue$/i.test(headers.expect)) res.writeContinue();
  const meter = createMeter(context, bounds);
  // A body that arrived with its headers needs no timer and no listeners, which cost more than the reading. Node's parser
  // adds it to the request only after the headers have been handled.
  await undefined;
  if (req.destroyed) throw malformed("did not arrive whole");
  if (req.readableLength === Number(headers["content-length"])) return readAtOnce(req, meter);
  return collect(context, { ...bounds, meter });
}

/** Counts bytes that have arrived; returns an error if there are too many. */
type Meter = (bytes: number) => RelayError | null;

function readAtOnce(req: IncomingMessage, meter: Meter): Buffer {
  const bytes = req.read() as Buffer;
  // The stream has not emitted its end yet.
  req.resume();
  const refusal = meter(bytes.length);
  if (refusal !== null) throw refusal;
  return bytes;
}

function collect({ req, res }: RequestContext, { meter, settings, share }: Bounds & { meter: Meter }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      stopWatching();
      share.arrived();
      req.off("data", take).off("end", finish).off("close", giveUp);
    };
    const finish = (): void => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    // The rest of the body is read and discarded, because the next request on the connection follows it. listener.ts
    // bounds its pace.
    const stop = (error: RelayError): void => {
      settle();
      chunks.length = 0;
      req.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      received += chunk.length;
      const refusal = meter(chunk.length);
      if (refusal === null) chunks.push(chunk);
      else stop(refusal);
    };
    const giveUp = (): void => stop(malformed("did not arrive whole"));
    const stopWatching = watchBody(
      settings,
      () => received,
      (error) => {
        res.shouldKeepAlive = false;
        stop(error);
      },
    );
    share.arrives(stop);
    req.on("data", take).on("end", finish).on("close", giveUp);
  });
}

/** Counted bytes are returned to the budget when the answer has ended, because the body stays in memory until then. */
function createMeter(context: RequestContext, { limit, share }: Bounds): Meter {
  let received = 0;
  whenClosed(context, () => share.release());
  return (bytes) => {
    received += bytes;
    const refusal = share.take(bytes);
    return received > limit ? tooLarge(limit) : refusal;
  };
}

function tooLarge(limit: number): RelayError {
  return new RelayError("MESSAGE_TOO_LARGE", `the body is over its limit of ${limit} bytes`);
}
