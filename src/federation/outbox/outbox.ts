import type { Knex } from "knex";
import type { AuditService } from "../../audit/service.js";
import type { Forward } from "../../messages/mailbox.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Nodes } from "../../platform/cluster/nodes.js";
import type { Config } from "../../platform/config/config.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import type { Notifications } from "../../platform/database/notifications.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import type { PeerCalls } from "../peers/types.js";
import type { ServerStatuses } from "../policy/server-status.js";
import type { OutboxCommands } from "../types.js";
import { createPeerVisits } from "./backoff.js";
import { createOutboxCommands } from "./commands.js";
import { createOutboxIntake, type OutboxConfig } from "./enqueue.js";
import { createOutboxExpiry, type OutboxExpiry } from "./expiry.js";
import { createSender, type SenderConfig } from "./lease.js";

/** Messages on their way to other servers: stored with their acceptance, sent until they are delivered or expire. */
export interface Outbox extends OutboxCommands, OutboxExpiry {
  start(): void;
  /** Ends sending; what is on its way has the shutdown's grace period to be answered. Stop the peer calls after it. */
  stop(): Promise<void>;
  /** For the mailbox: stores messages in the caller's transaction, or refuses them. */
  forward: Forward;
  /** A peer has made an authenticated call: it is worth an attempt at once. */
  peerCalled(domain: Domain): void;
  /** A host has been unblocked, with whatever port it is called on and all below it. */
  unblocked(host: string): void;
}

export interface OutboxDeps {
  db: Knex;
  pipelined: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  logger: Logger;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: Pick<PeerCalls, "deliver" | "isReady" | "reach">;
  /** This server's name. */
  domain: string;
  config: OutboxConfig & SenderConfig & Pick<Config, "expiryStepRows" | "outboxClearSeconds">;
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { settings, statuses, calls } = deps;
  const sender = createSender({
    ...deps,
    domain: deps.domain as Domain,
    enabled: () => settings.current().federation.enabled && calls.isReady(),
    blockedReason: (domain) => (statuses.admits(domain) ? undefined : "blocked here"),
  });
  const visits = createPeerVisits({ ...deps, wake: () => sender.wake() });

  return {
    start: () => sender.start(),
    async stop() {
      await visits.stop();
      await sender.stop();
    },
    forward: createOutboxIntake({
      ...deps,
      isReady: () => calls.isReady(),
      committed: (domains) => sender.wake(domains),
    }),
    peerCalled: (domain) => visits.called(domain),
    unblocked: (host) => visits.unblocked(host),
    ...createOutboxCommands(deps),
    ...createOutboxExpiry(deps),
  };
}
