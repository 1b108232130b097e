import { createTrustStore } from "../../certificates/trust-store.js";
import type { Database } from "../../database/db.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import type { Resolve } from "../../node/resolver.js";
import type { ServerConfig } from "../../platform/config/server.js";
import type { Logger } from "../../platform/logger.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import { createCallCounts } from "./call-counts.js";
import { createDiscoveryClient } from "./discovery.js";
import { createFederationHttp } from "./http-client.js";
import { createIdentity } from "./identity.js";
import { createPeerKeys } from "./keys.js";
import type { ServerStatuses } from "./server-status.js";
import { createPeerSessions } from "./sessions.js";
import { createShownIntermediates } from "./shown-intermediates.js";

/** Puts together everything for calls to peers. */
export type Peers = ReturnType<typeof createPeers>;

export function createPeers(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  domain: string;
  settings: Pick<SettingsService, "current">;
  resolve: Resolve;
  statuses: Pick<ServerStatuses, "admits">;
  rateLimiter: Pick<RateLimiter, "take">;
  config: FederationSettings & NodeSettings & ServerConfig;
}) {
  const trust = createTrustStore(deps);
  const identity = createIdentity(deps);
  const counts = createCallCounts(deps);
  const http = createFederationHttp({
    ...deps,
    trust: () => trust.current(),
    admits: (peer) => deps.statuses.admits(peer),
    validates: () => deps.settings.current().federation.certificate_validation,
  });
  const discovery = createDiscoveryClient({ ...deps, http, counts });
  const keys = createPeerKeys({ ...deps, http, discovery });
  const calls = createPeerSessions({ ...deps, http, discovery, counts, identity: () => identity.current() });

  return {
    http,
    discovery,
    keys,
    calls,
    counts,
    intermediatesOf: createShownIntermediates({ ...deps, http }),
    trust,
    /** Reads our certificate and the trusted authorities; throws if they cannot be used. */
    async start(): Promise<void> {
      await trust.start();
      await identity.start();
    },
    /** Closes open connections and writes the call counts. */
    async stop(): Promise<void> {
      http.close();
      await trust.stop();
      await identity.stop();
      await counts.flush();
    },
  };
}
