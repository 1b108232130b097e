import type { IncomingMessage, ServerResponse } from "node:http";
import { clientIp, type TrustedProxies } from "../../platform/addresses/client-ip.js";
import { networkKey } from "../../platform/addresses/network-key.js";
import type { ErrorId } from "../../protocol/errors.js";
import type { ObservedLimits } from "./rate-limit-headers.js";

/** What the HTTP layer knows about a request while it is being answered. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Null until the route is known, and if there is none. Logs name the operation and the path, never the URL. */
  operation: string | null;
  route: string | null;
  principal: object | null;
  token: string | null;
  /** The parameters and the body as the handler gets them: integers are numbers, defaults are set. */
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  headers: IncomingMessage["headers"];
  body: object | undefined;
  /** The bytes after the JSON of a body, if it has any. */
  attached: Buffer | null;
  /** Whether the handler was called. Of the errors thrown after that, only catalogue errors are the caller's fault. */
  isHandled: boolean;
  error: ErrorId | null;
  /** The limits that counted the request; null if none has so far. */
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

const noParameters: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Runs work when the answer has been sent or its client has gone, or at once if that has already happened. One listener
 * serves all work of a request.
 */
export function whenClosed({ onClose }: RequestContext, work: () => void): void {
  if (onClose === null) work();
  else onClose.push(work);
}

/**
 * Whether a closed answer was received completely. For Node, an answer whose connection was cut off is finished, too.
 */
export function wasReceived(res: ServerResponse): boolean {
  return res.writableFinished && !res.req.socket.destroyed;
}

/** The unit by which a client's network address is counted. */
export function networkOf(req: IncomingMessage, trustedProxies: TrustedProxies): string {
  return networkKey(clientIp(req.socket.remoteAddress ?? "", forwardedFor(req), trustedProxies));
}

/** X-Forwarded-For. Node joins repeated headers of this name by comma. */
export function forwardedFor(req: IncomingMessage): string | undefined {
  const value = req.headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}

/** Devices and administrators have an id, other servers their name. */
export function callerName(principal: object): string {
  const { deviceId, domain } = principal as { deviceId?: string; domain?: string };
  return deviceId ?? domain ?? "";
}
