import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { FileCopy } from "../platform/file-copy.js";
import type { Logger } from "../platform/logger.js";
import type { Resolve } from "../platform/resolver.js";
import type { SettingsService } from "../settings/service.js";
import { type CallCounts, createCallCounts } from "./call-counts.js";
import { createDiscoveryClient, type DiscoveryClient } from "./discovery-client.js";
import { createIdentity } from "./identity.js";
import { createFederationHttp, type FederationHttp } from "./outgoing-http.js";
import type { PeerCalls } from "./peer-calls.js";
import { createPeerKeys, type PeerKeys } from "./peer-keys.js";
import { createPeerSessions } from "./peer-sessions.js";
import type { Standings } from "./standing.js";
import { createTrustStore, type Trust } from "./trust-store.js";

/** Everything by which peers are reached. */
export interface PeerRoom {
  http: FederationHttp;
  discovery: DiscoveryClient;
  keys: PeerKeys;
  calls: PeerCalls;
  counts: CallCounts;
  trust: FileCopy<Trust>;
  /** Reads certificates and authorities; throws where they cannot be used. */
  start(): Promise<void>;
  /** Closes kept connections and writes what was counted. */
  stop(): Promise<void>;
}

export function createPeerRoom(needs: {
  db: Knex;
  clock: Clock;
  logger: Logger;
  domain: string;
  settings: Pick<SettingsService, "current">;
  resolve: Resolve;
  standings: Pick<Standings, "admits">;
  limits: Config;
}): PeerRoom {
  const trust = createTrustStore(needs);
  const identity = createIdentity(needs);
  const counts = createCallCounts(needs);
  const http = createFederationHttp({
    ...needs,
    trust: () => trust.current(),
    admits: (peer) => needs.standings.admits(peer),
    validates: () => needs.settings.current().federation.certificate_validation,
  });
  const discovery = createDiscoveryClient({ ...needs, http, counts });
  const keys = createPeerKeys({ ...needs, http, discovery });
  const calls = createPeerSessions({ ...needs, http, discovery, counts, identity: () => identity.current() });

  return {
    ...{ http, discovery, keys, calls, counts, trust },
    async start() {
      await trust.start();
      await identity.start();
    },
    async stop() {
      http.close();
      await trust.stop();
      await identity.stop();
      await counts.flush();
    },
  };
}
