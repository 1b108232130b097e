import type { IncomingMessage } from "node:http";
import { clientIp, networkKey, type TrustedProxies } from "../platform/net/client-ip.js";

/** The unit by which the network address of a request's client is counted. */
export function networkOf(req: IncomingMessage, trustedProxies: TrustedProxies): string {
  return networkKey(clientIp(req.socket.remoteAddress ?? "", forwardedFor(req), trustedProxies));
}

/** Node joins repeated headers of this name by comma. */
function forwardedFor(req: IncomingMessage): string | undefined {
  const value = req.headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}
