import type { Authentication } from "../auth/token-check.js";
import { networkOf } from "../http/request/request-context.js";
import { parseTrustedProxies } from "../platform/addresses/client-ip.js";
import { createStreamServer, type StreamServer } from "../stream/service.js";
import type { RelayAuthenticators } from "./authenticators.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Services } from "./services.js";

/** The server of WebSocket streams. It takes over the connections that the HTTP server upgrades. */
export function createStreams(deps: {
  config: Config;
  infrastructure: Infrastructure;
  services: Services;
  authentication: Pick<Authentication, "isValid">;
  authenticators: Pick<RelayAuthenticators, "device">;
}): StreamServer {
  const { config, infrastructure, authentication, authenticators } = deps;
  const { db, clock, random, logger } = infrastructure;
  const { messages, devices, keyPackages } = deps.services;
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const streams = createStreamServer({
    clock,
    random,
    logger,
    messages,
    config,
    authenticate: async (token) => authenticators.device(token),
    isStillValid: authentication.isValid,
    hasActiveAddress: (deviceId) => devices.hasActiveAddress(db, deviceId, clock.nowSeconds()),
    keyPackagesRemaining: (deviceId) => keyPackages.remaining(deviceId),
    networkKey: (request) => networkOf(request, trustedProxies),
  });
  infrastructure.poll.onFailover(() => streams.reconnectAll());
  keyPackages.onLow((deviceId) => void streams.keyPackagesChanged(deviceId));
  return streams;
}
