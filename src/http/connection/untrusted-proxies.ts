import type { IncomingMessage, Server } from "node:http";
import { isTrustedProxy, type TrustedProxies } from "../../platform/addresses/client-ip.js";
import { isPublicAddress } from "../../platform/addresses/public-address.js";
import type { Logger } from "../../platform/logger.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { hourSeconds } from "../../protocol/units.js";

// A proxy that TRUSTED_PROXIES does not name makes all its clients share one limit, and nothing else shows it. Any
// client can send these headers, too, so a peer counts as a proxy only after it has sent them for two different
// clients, and the log shows its address only if it cannot be the address of a client on the internet.

/** Notices proxies that are not trusted. */
interface UntrustedProxies {
  watch(server: Server): void;
  /** The Unix time in seconds since which such a proxy has been sending requests; 0 if none has for an hour. */
  since(): number;
}

const peersRemembered = 1_000;
const longestValue = 1_000;

export function createUntrustedProxies(deps: {
  trustedProxies: TrustedProxies;
  logger: Logger;
  nowSeconds: () => number;
}): UntrustedProxies {
  const { trustedProxies, logger, nowSeconds } = deps;
  /** The first address that each peer forwarded; null once the peer has forwarded for another client, too. */
  const peers = createLruCache<string, { first: string | null }>(peersRemembered);
  let seen: { since: number; last: number } | undefined;

  const note = (peer: string, header: string): void => {
    const now = nowSeconds();
    const isNew = seen === undefined || now - seen.last >= hourSeconds;
    seen = { since: isNew ? now : (seen?.since ?? now), last: now };
    if (!isNew) return;
    const proxy = isPublicAddress(peer) ? "a public address" : peer;
    logger.warn(
      { proxy, header },
      "a proxy that TRUSTED_PROXIES does not name forwards requests: all its clients share one limit",
    );
  };
  const look = (request: IncomingMessage): void => {
    const header = request.headers["x-forwarded-for"] !== undefined ? "x-forwarded-for" : "forwarded";
    const value = request.headers[header];
    const peer = request.socket.remoteAddress;
    if (value === undefined || peer === undefined || isTrustedProxy(peer, trustedProxies)) return;
    const text = String(value).slice(0, longestValue);
    const known = peers.get(peer);
    if (known === undefined) peers.set(peer, { first: text });
    else if (known.first !== null && known.first !== text) known.first = null;
    if (peers.get(peer)?.first === null) note(peer, header);
  };

  return {
    watch: (server) => void server.on("request", look).on("upgrade", look),
    since: () => (seen !== undefined && nowSeconds() - seen.last < hourSeconds ? seen.since : 0),
  };
}
