import type { IncomingMessage, Server } from "node:http";
import { isTrustedProxy, isUnreadableChain, type TrustedProxies } from "../../platform/addresses/client-ip.js";
import { isPublicAddress } from "../../platform/addresses/public-address.js";
import type { Logger } from "../../platform/logger.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { hourSeconds } from "../../protocol/units.js";
import { forwardedFor } from "../request/request-context.js";

// A proxy that TRUSTED_PROXIES does not name, or whose entries cannot be read, makes all its clients share one limit,
// and nothing else shows it. Any client can send these headers, too, so an untrusted peer counts as a proxy only after
// it has sent them for two different clients, and the log shows its address only if it cannot be the address of a
// client on the internet.

const peersRemembered = 1_000;
const longestValue = 1_000;

/** Notices proxies that hide their clients. */
export function createProxyFaults(deps: { trustedProxies: TrustedProxies; logger: Logger; nowSeconds: () => number }) {
  const { trustedProxies, logger, nowSeconds } = deps;
  /** The first address that each peer forwarded; null once the peer has forwarded for another client, too. */
  const peers = createLruCache<string, { first: string | null }>(peersRemembered);
  const untrusted = createFault(nowSeconds);
  const unreadable = createFault(nowSeconds);

  const lookAtUntrusted = (request: IncomingMessage, peer: string): void => {
    const header = request.headers["x-forwarded-for"] !== undefined ? "x-forwarded-for" : "forwarded";
    const value = request.headers[header];
    if (value === undefined) return;
    const text = String(value).slice(0, longestValue);
    const known = peers.get(peer);
    if (known === undefined) peers.set(peer, { first: text });
    else if (known.first !== null && known.first !== text) known.first = null;
    if (peers.get(peer)?.first !== null || !untrusted.note()) return;
    const proxy = isPublicAddress(peer) ? "a public address" : peer;
    logger.warn(
      { proxy, header },
      "a proxy that TRUSTED_PROXIES does not name forwards requests: all its clients share one limit",
    );
  };
  const lookAtTrusted = (request: IncomingMessage, proxy: string): void => {
    const value = forwardedFor(request);
    if (value === undefined || !isUnreadableChain(proxy, value, trustedProxies) || !unreadable.note()) return;
    logger.warn(
      { proxy },
      "an entry of X-Forwarded-For from a trusted proxy has no IP address: all its clients share one limit",
    );
  };
  const look = (request: IncomingMessage): void => {
    const peer = request.socket.remoteAddress;
    // Nearly all requests that come without a proxy end here.
    const isForwarded = request.headers["x-forwarded-for"] !== undefined || request.headers.forwarded !== undefined;
    if (peer === undefined || !isForwarded) return;
    if (isTrustedProxy(peer, trustedProxies)) lookAtTrusted(request, peer);
    else lookAtUntrusted(request, peer);
  };

  return {
    watch: (server: Server): void => void server.on("request", look).on("upgrade", look),
    /** The Unix time in seconds since which an untrusted proxy has been sending requests; 0 if none has for an hour. */
    untrustedSince: untrusted.since,
    /** The same for a trusted proxy whose entries of X-Forwarded-For have no address. */
    unreadableSince: unreadable.since,
  };
}

/** A fault that lasts until it has not been noted for an hour. */
function createFault(nowSeconds: () => number): { note(): boolean; since(): number } {
  let seen: { since: number; last: number } | undefined;
  const lasts = (): boolean => seen !== undefined && nowSeconds() - seen.last < hourSeconds;
  return {
    /** Whether the fault is new. */
    note() {
      const isNew = !lasts();
      const now = nowSeconds();
      seen = { since: isNew ? now : (seen?.since ?? now), last: now };
      return isNew;
    },
    since: () => (lasts() ? (seen?.since ?? 0) : 0),
  };
}
