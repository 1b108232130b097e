import type { AuditService } from "../../audit/service.js";
import type { Database, Executor } from "../../database/db.js";
import type { Notifications } from "../../database/pool/notifications.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import type { Nodes } from "../../node/nodes.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import type { ServerStatuses } from "../peers/server-status.js";
import type { PeerCalls } from "../peers/types.js";
import { createBackoffReset } from "./backoff.js";
import type { OutboxSettings } from "./config.js";
import { createEnqueue } from "./enqueue.js";
import { createOutboxExpiry } from "./expired-waiting.js";
import { createLeases, type LeasesConfig, type LeasesDeps } from "./leases.js";
import { createOutboxOperations } from "./operations.js";

/**
 * Messages on their way to other servers. They are stored by the transaction that accepts them and sent until they are
 * delivered or expire.
 */
export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxDeps {
  db: Database;
  pipelined: Executor;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  logger: Logger;
  nodes: Pick<Nodes, "nodeId" | "isGone">;
  notifications: Pick<Notifications, "notify" | "listen">;
  poll: LeasesDeps["poll"];
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: Pick<PeerCalls, "deliver" | "isReady" | "reach" | "offers">;
  /** This server's domain. */
  domain: string;
  config: OutboxSettings & LeasesConfig & Pick<NodeSettings, "expiryStepRows">;
}

export function createOutbox(deps: OutboxDeps) {
  const leases = createLeases({ ...deps, domain: deps.domain as Domain });
  const backoff = createBackoffReset({ ...deps, wake: () => leases.wake() });

  return {
    start: (): void => leases.start(),
    /** Stops delivering. Transactions in flight may be answered within the grace period. Close the peers afterwards. */
    async stop(): Promise<void> {
      await backoff.stop();
      await leases.stop();
    },
    /** Stores messages in the caller's transaction, or refuses them. */
    forward: createEnqueue({
      ...deps,
      isReady: () => deps.calls.isReady(),
      committed: (domains) => leases.wake(domains),
    }),
    /** A peer has made an authenticated call, so an attempt is likely to succeed. */
    peerCalled: (domain: Domain): void => backoff.peerCalled(domain),
    /** A host has been unblocked, on every port and with the names below it. */
    unblocked: (host: string): void => backoff.unblocked(host),
    ...createOutboxOperations(deps),
    ...createOutboxExpiry(deps),
  };
}
