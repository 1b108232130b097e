import type { AuditService } from "../audit/service.js";
import type { AuthSettings } from "../auth/config.js";
import type { PublicJwk } from "../auth/ed25519-keys.js";
import type { Secrets } from "../auth/secrets.js";
import type { SigningKeys } from "../auth/signing-keys.js";
import type { Tokens } from "../auth/tokens.js";
import { createCertificateChecks } from "../certificates/certificate-checks.js";
import type { DatabaseSettings } from "../database/config.js";
import type { Database } from "../database/db.js";
import { createPipelinedConnections, type PipelinedConnections } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MessagesService } from "../messages/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Nodes } from "../node/nodes.js";
import type { Resolve } from "../node/resolver.js";
import type { SharedPoll } from "../node/shared-poll.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { type Domain, hostOf, parseDomain } from "../protocol/address.js";
import type { SettingsService } from "../settings/service.js";
import { createAdmission } from "./inbound/admit.js";
import { createAuthentication } from "./inbound/authenticate.js";
import { createInboundDelivery } from "./inbound/deliver.js";
import { createCallerLimits } from "./inbound/limits.js";
import { createNonces, noncesSecret } from "./inbound/nonces.js";
import { createInboundOnline } from "./inbound/online.js";
import { createOrigins, originsSecret } from "./inbound/origins.js";
import { createTransactions, type DeliveryAnswer } from "./inbound/repeated-delivery.js";
import { createInboundReports, type PeerReport } from "./inbound/reports.js";
import { createSessionCertificates } from "./inbound/session-certificates.js";
import { createFederationUpkeep } from "./jobs.js";
import type { FederationSettings } from "./model/config.js";
import { createForwardOnline } from "./outbox/online.js";
import { createOutbox, type Outbox, type OutboxDeps } from "./outbox/outbox.js";
import { createForwardReports, type ForwardReports } from "./outbox/reports.js";
import { createPeerRequests } from "./peers/peer-requests.js";
import { createPeers, type Peers } from "./peers/peers.js";
import { createServerStatuses, type ServerStatusCache } from "./peers/server-status.js";
import { createFederationOperations } from "./policy/operations.js";
import { createPeerLists } from "./policy/peer-lists.js";
import { createPublishedLists } from "./policy/published-list.js";
import { createReputations, spamSecret } from "./policy/reputation-updates.js";

/** Federation: authenticates other relays, accepts their deliveries, rates them, and delivers to them. */
export type FederationService = ReturnType<typeof createFederationService>;

/** Connections of a node for transactions' statements, in both directions. */
const pipelinedConnectionCount = 4;

export function createFederationService(deps: {
  db: Database;
  /** The URL of the same database: the statements of each transaction use separate connections. */
  databaseUrl: string;
  placement: Placement;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** This server's domain. */
  domain: string;
  settings: Pick<SettingsService, "current" | "update">;
  secrets: Pick<Secrets, "get">;
  tokens: Pick<Tokens, "issue">;
  signingKeys: Pick<SigningKeys, "signer">;
  nodes: Pick<Nodes, "nodeId" | "isGone">;
  notifications: Pick<Notifications, "notify" | "listen">;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  rateLimiter: Pick<RateLimiter, "conclude" | "count" | "keyOf" | "read" | "take">;
  messages: Pick<MessagesService, "accept" | "dedupKeyOf" | "pushFromPeer">;
  /** Counts a report about a device of this server that a peer has passed on. */
  reportOfPeer(report: PeerReport): Promise<void>;
  /** Resolves the names of peers. */
  resolve: Resolve;
  config: FederationSettings & AuthSettings & DatabaseSettings & NodeSettings & ServerConfig & OutboxDeps["config"];
}) {
  const { settings, config } = deps;
  const statuses = createServerStatuses(deps);
  const reputations = createReputations(deps);
  const peers = createPeers({ ...deps, statuses });
  const trust = () => peers.trust.current();
  const pipelined = createPipelinedConnections({
    url: deps.databaseUrl,
    placement: deps.placement,
    config,
    count: pipelinedConnectionCount,
  });
  const outbox = createOutbox({ ...deps, pipelined, statuses, calls: peers.calls });
  const peerCalled = outbox.peerCalled;

  const admission = createAdmission({ ...deps, statuses });
  const certificateChecks = createCertificateChecks();
  const sessionCertificates = createSessionCertificates({ ...deps, trust, certificateChecks });
  const authentication = createAuthentication({
    ...deps,
    admission,
    nonces: createNonces(deps),
    trust,
    peerCalled,
    certificateChecks,
    intermediatesOf: peers.intermediatesOf,
    sessionCertificates,
    callerLimits: createCallerLimits(deps),
  });
  const origins = createOrigins(deps);
  const inboundDelivery = createInboundDelivery({
    ...deps,
    pipelined,
    admission,
    transactions: createTransactions<DeliveryAnswer>(deps),
    origins,
    reputations,
    peerCalled,
  });
  const reports = createForwardReports({ ...deps, statuses, calls: peers.calls });
  const lists = createPeerLists({ ...deps, http: peers.http, keys: peers.keys, statuses, reputations });

  return {
    ...authentication,
    ...inboundDelivery,
    ...createInboundOnline({ ...deps, admission, peerCalled }),
    ...createInboundReports({ ...deps, admission, peerCalled }),
    ...createPublishedLists(deps),
    ...createFederationOperations({ ...deps, statuses, reputations, unblocked: outbox.unblocked }),
    ...createFederationUpkeep({ ...deps, counts: peers.counts, reputations, lists, origins }),
    ...createLifecycle({ statuses, peers, outbox, reports, pipelined, secrets: deps.secrets }),
    /** Stores accepted messages for other servers in the outbox, in the caller's transaction. Used by `messages`. */
    forward: outbox.forward,
    /** Passes a report on to the server of the reported device, if it takes reports. */
    forwardReport: reports.forwardReport,
    /** Passes online-only messages on to other servers. Used by `messages`. */
    forwardOnline: createForwardOnline({ ...deps, statuses, calls: peers.calls }),
    /** The caller to whom a federation token was issued. Throws INVALID_TOKEN if its certificate is no longer accepted. */
    callerOf: (token: {
      deviceId: string;
      extra: Readonly<Record<string, unknown>>;
    }): Awaitable<{ domain: string }> => {
      const domain = token.deviceId as Domain;
      return chain(sessionCertificates.check({ domain, claims: token.extra }), () => ({ domain }));
    },
    /** Messages waiting for other servers: the operators' actions and the outbox's scheduled work. */
    outbox,
    /** Admits requests of peers that other modules answer. */
    admitRequest: admission.admitRequest,
    admitCaller: admission.admitCaller,
    /** Whether the certificate with which this server calls others is for its domain, and in its time. */
    provesDomain: () => peers.calls.provesDomain(),
    /** Whether federation is on, and this server has such a certificate. */
    callsPeers: () => settings.current().federation.enabled && peers.calls.isReady(),
    ...createPeerRequests({ ...deps, statuses, calls: peers.calls }),
    /** The hosts that sent the message with this id to one of these prefixes, for as long as messages are retained. */
    originsOf: origins.find,
    recordSpam: reputations.recordSpam,
    /** The keys of a server on the allowlist, for invites. Empty for other servers, and if the server does not answer. */
    async allowlistedKeys(text: string): Promise<readonly PublicJwk[]> {
      const domain = parseDomain(text, { privateAllowed: config.federationAllowPrivate });
      if (domain === undefined || !settings.current().federation.enabled) return [];
      const isTrusted = statuses.isAllowlisted(hostOf(domain)) && statuses.of(domain) !== "blocked";
      return isTrusted ? peers.keys.of(domain).catch(() => []) : [];
    },
  };
}

/** Stops in the reverse order of starting: deliveries end before the connections to peers are closed. */
function createLifecycle(parts: {
  statuses: ServerStatusCache;
  peers: Peers;
  outbox: Outbox;
  reports: ForwardReports;
  pipelined: PipelinedConnections;
  secrets: Pick<Secrets, "get">;
}) {
  const { statuses, peers, outbox, reports, pipelined, secrets } = parts;
  return {
    async start(): Promise<void> {
      // Secrets are read once here, so that no transaction waits for a second connection to read them.
      for (const name of [noncesSecret, originsSecret, spamSecret]) await secrets.get(name);
      await peers.start();
      await statuses.start();
      outbox.start();
    },
    /** Stops delivering, then closes the connections to peers. */
    async stop(): Promise<void> {
      reports.stop();
      await outbox.stop();
      await statuses.stop();
      await peers.stop();
      await pipelined.stop();
    },
  };
}
