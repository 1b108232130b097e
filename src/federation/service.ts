import type { AuditService } from "../audit/service.js";
import type { AuthSettings } from "../auth/config.js";
import type { PublicJwk } from "../auth/ed25519-keys.js";
import type { Secrets } from "../auth/secrets.js";
import type { SigningKeys } from "../auth/signing-keys.js";
import type { Tokens } from "../auth/tokens.js";
import type { DatabaseSettings } from "../database/config.js";
import type { Database, Db } from "../database/db.js";
import { createPipelinedConnections, type PipelinedConnections } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { Forward, ForwardOnline } from "../messages/model/types.js";
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
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import { type Admission, createAdmission } from "./inbound/admit.js";
import { type Authentication, createAuthentication, createCallerLimits } from "./inbound/authenticate.js";
import { createInboundDelivery, type DeliveryAnswer, type InboundDelivery } from "./inbound/deliver.js";
import { createTransactions } from "./inbound/idempotency.js";
import { createNonces, noncesSecret } from "./inbound/nonces.js";
import { createInboundOnline, type InboundOnline } from "./inbound/online.js";
import { createOrigins, originsSecret } from "./inbound/origins.js";
import { createInboundReports, type InboundReports, type PeerReport } from "./inbound/reports.js";
import { createSessionCertificates } from "./inbound/session-certificates.js";
import { createFederationUpkeep, type FederationUpkeep } from "./jobs.js";
import type { FederationSettings } from "./model/config.js";
import type { ForwardedReport, OutboxOperations } from "./model/types.js";
import type { OutboxExpiry } from "./outbox/expiry.js";
import { createForwardOnline } from "./outbox/online.js";
import { createOutbox, type Outbox, type OutboxDeps } from "./outbox/outbox.js";
import { createForwardReports, type ForwardReports } from "./outbox/reports.js";
import { createCertificateChecks } from "./peers/certificate-checks.js";
import { createPeerRequests, type PeerRequests } from "./peers/peer-requests.js";
import { createPeers, type Peers } from "./peers/peers.js";
import { createServerStatuses, type ServerStatusCache } from "./peers/server-status.js";
import { createFederationOperations, type FederationOperations } from "./policy/operations.js";
import { createPeerLists } from "./policy/peer-lists.js";
import { createPublishedLists, type PublishedLists } from "./policy/published-list.js";
import { createReputations, type Reputations, spamSecret } from "./policy/reputation.js";

/** Federation: authenticates other relays, accepts their deliveries, rates them, and delivers to them. */
export interface FederationService
  extends Authentication,
    InboundDelivery,
    InboundOnline,
    InboundReports,
    PublishedLists,
    FederationOperations,
    FederationUpkeep {
  /**
   * The caller to whom a federation token was issued. Throws INVALID_TOKEN if its certificate is no longer accepted.
   */
  callerOf(token: { deviceId: string; extra: Readonly<Record<string, unknown>> }): Awaitable<{ domain: string }>;
  start(): Promise<void>;
  /** Stops delivering, then closes the connections to peers. */
  stop(): Promise<void>;
  /** Stores accepted messages for other servers in the outbox, in the caller's transaction. Used by `messages`. */
  forward: Forward;
  /** Passes online-only messages on to other servers. Used by `messages`. */
  forwardOnline: ForwardOnline;
  /** Messages waiting for other servers: the operators' actions and the outbox's scheduled work. */
  outbox: OutboxOperations & OutboxExpiry;
  /** The hosts that sent the message with this id to one of these prefixes, for as long as messages are retained. */
  originsOf(
    db: Db,
    delivered: { messageId: string; prefixes: readonly string[] },
  ): Promise<{ host: string; prefix: string }[]>;
  /** Passes a report on to the server of the reported device, if it takes reports. */
  forwardReport(host: string, report: ForwardedReport): void;
  recordSpam: Reputations["recordSpam"];
  /** Admits requests of peers that other modules answer. */
  admitRequest: Admission["admitRequest"];
  admitCaller: Admission["admitCaller"];
  /** Whether federation is on, and this server has a certificate to call others with. */
  callsPeers(): boolean;
  /** Whether that certificate is for this server's domain, and in its time. */
  provesDomain(): boolean;
  askForSlot: PeerRequests["askForSlot"];
  askForKeyPackages: PeerRequests["askForKeyPackages"];
  /** The keys of a server on the allowlist, for invites. Empty for other servers, and if the server does not answer. */
  allowlistedKeys(domain: string): Promise<readonly PublicJwk[]>;
}

interface FederationDeps {
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
  poll: Pick<SharedPoll, "follow" | "ask">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  rateLimiter: Pick<RateLimiter, "conclude" | "count" | "keyOf" | "read" | "take">;
  messages: Pick<MessagesService, "accept" | "dedupKeyOf" | "pushFromPeer">;
  /** Counts a report about a device of this server that a peer has passed on. */
  reportOfPeer(report: PeerReport): Promise<void>;
  /** Resolves the names of peers. */
  resolve: Resolve;
  config: FederationSettings & AuthSettings & DatabaseSettings & NodeSettings & ServerConfig & OutboxDeps["config"];
}

/** Connections of a node for transactions' statements, in both directions. */
const pipelinedConnectionCount = 4;

export function createFederationService(deps: FederationDeps): FederationService {
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
  const certificateChecks = createCertificateChecks(deps);
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
    forward: outbox.forward,
    forwardReport: reports.forwardReport,
    forwardOnline: createForwardOnline({ ...deps, statuses, calls: peers.calls }),
    callerOf: ({ deviceId: domain, extra: claims }) =>
      chain(sessionCertificates.check({ domain: domain as Domain, claims }), () => ({ domain })),
    outbox,
    admitRequest: admission.admitRequest,
    admitCaller: admission.admitCaller,
    provesDomain: () => peers.calls.provesDomain(),
    callsPeers: () => settings.current().federation.enabled && peers.calls.isReady(),
    ...createPeerRequests({ ...deps, statuses, calls: peers.calls }),
    originsOf: (db, delivered) => origins.find(db, delivered),
    recordSpam: (db, report) => reputations.recordSpam(db, report),
    async allowlistedKeys(text) {
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
}): Pick<FederationService, "start" | "stop"> {
  const { statuses, peers, outbox, reports, pipelined, secrets } = parts;
  return {
    async start() {
      // Secrets are read once here, so that no transaction waits for a second connection to read them.
      for (const name of [noncesSecret, originsSecret, spamSecret]) await secrets.get(name);
      await peers.start();
      await statuses.start();
      outbox.start();
    },
    async stop() {
      reports.stop();
      await outbox.stop();
      await statuses.stop();
      await peers.stop();
      await pipelined.stop();
    },
  };
}
