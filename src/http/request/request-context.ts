import type { IncomingMessage, ServerResponse } from "node:http";
import { clientIp, networkKey, type TrustedProxies } from "../../platform/addresses/client-ip.js";
import type { ErrorId } from "../../protocol/errors.js";
import type { ObservedLimits } from "./rate-limit-headers.js";

/** What the HTTP layer knows about one request while it is being answered. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Null until the route is known, and where there is none. Logs name these, never the URL. */
  operation: string | null;
  route: string | null;
  principal: object | null;
  token: string | null;
  /** The parameters and the body as the handler gets them: integers are numbers, defaults are set. */
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  headers: IncomingMessage["headers"];
  body: object | undefined;
  /** The bytes behind the JSON of a body that has some. */
  attached: Buffer | null;
  /** Whether the handler was called. Of what is thrown after that, only catalogue errors are the caller's fault. */
  isHandled: boolean;
  error: ErrorId | null;
  /** The limits that it was counted by; null while it was counted by none. */
  limits: ObservedLimits | null;
  /** Work for the moment when the answer has been sent or its client has gone; null from then on. */
  onClose: (() => void)[] | null;
}

export function beginRequest(req: IncomingMessage, res: ServerResponse, requestId: string): RequestContext {
  const context: RequestContext = {
    req,
    res,
    requestId,
    operation: null,
    route: null,
    principal: null,
    token: null,
    params: noParameters,
    query: noParameters,
    headers: req.headers,
    body: undefined,
    attached: null,
    isHandled: false,
    error: null,
    limits: null,
    onClose: [],
  };
  res.once("close", () => {
    const atClose = context.onClose ?? [];
    context.onClose = null;
    for (const work of atClose) work();
  });
  return context;
}

export const noParameters: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Runs work when the answer has been sent or its client has gone, at once if that has happened. One listener serves all of a
 * request's work.
 */
export function whenClosed({ onClose }: RequestContext, work: () => void): void {
  if (onClose === null) work();
  else onClose.push(work);
}

/** Whether a closed answer was received as a whole. Node also calls an answer finished whose connection was cut off. */
export function wasReceived(res: ServerResponse): boolean {
  return res.writableFinished && !res.req.socket.destroyed;
}

/** The unit by which the network address of a request's client is counted. */
export function networkOf(req: IncomingMessage, trustedProxies: TrustedProxies): string {
  return networkKey(clientIp(req.socket.remoteAddress ?? "", forwardedFor(req), trustedProxies));
}

/** Node joins repeated headers of this name by comma. */
function forwardedFor(req: IncomingMessage): string | undefined {
  const value = req.headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}
