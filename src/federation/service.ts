import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Forward, MailboxService } from "../messages/mailbox.js";
import type { MetricsService } from "../metrics/service.js";
import type { PublicJwk } from "../platform/auth/ed25519-keys.js";
import type { Secrets } from "../platform/auth/secrets.js";
import type { SigningKeys } from "../platform/auth/signing-keys.js";
import type { Tokens } from "../platform/auth/tokens.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Nodes } from "../platform/cluster/nodes.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import { createPipelinedConnections, type PipelinedConnections } from "../platform/database/pipelines.js";
import type { Logger } from "../platform/logger.js";
import type { Resolve } from "../platform/net/resolver.js";
import type { Random } from "../platform/random.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { type Domain, hostOf, parseDomain } from "../protocol/address.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { createAdmission } from "./inbound/admit.js";
import { type Authentication, createAuthentication } from "./inbound/authenticate.js";
import { createCallerLimits } from "./inbound/caller-limits.js";
import { createPeerConcurrencyLimit, type PeerConcurrencyLimit } from "./inbound/concurrency-limit.js";
import { createDelivering, type Delivering, type DeliveryAnswer } from "./inbound/deliver.js";
import { createTransactions } from "./inbound/idempotency.js";
import { deleteExpiredTransactions } from "./inbound/idempotency-store.js";
import { deleteExpiredNonces } from "./inbound/nonce-store.js";
import { createNonces, noncesSecret } from "./inbound/nonces.js";
import { createOrigins, type Origins, originsSecret } from "./inbound/origins.js";
import { deleteExpiredChains } from "./inbound/session-certificate-store.js";
import { createSessionCertificates } from "./inbound/session-certificates.js";
import { createSpam, type Spam, spamSecret } from "./inbound/spam.js";
import { deleteOldWindows } from "./inbound/window-store.js";
import type { FederationUpkeep } from "./jobs.js";
import { createOutbox, type Outbox, type OutboxCommands, type OutboxDeps } from "./outbox/outbox.js";
import { createCertificateChecks } from "./peers/certificate-checks.js";
import { deleteForgottenPeers, deleteOldCounts } from "./peers/store.js";
import { createFederationCommands, type FederationCommands } from "./policy/commands.js";
import { createPeerLists } from "./policy/peer-lists.js";
import { createPublishedLists, type PublishedLists } from "./policy/published-list.js";
import { createJudging, dayOf, type Judging } from "./policy/reputation.js";
import { createServerStatuses, type ServerStatusCache } from "./policy/server-status.js";

export type { Proof } from "./inbound/authenticate.js";
export type { Delivery, DeliveryAnswer, FederatedMessage } from "./inbound/deliver.js";
export { scheduleFederationJobs } from "./jobs.js";
export { scheduleOutboxJobs } from "./outbox/expiry.js";
export type { Actor, Backlog, OutboxCommands } from "./outbox/outbox.js";
export type { FederationCommands, FederationPolicy, Note, Reputation } from "./policy/commands.js";
export type { Block, BlockRequest, ReasonCategory, Severity } from "./policy/types.js";

/** The dealings with other relays: being called by them, judging them, and (`forward`) sending to them. */
export interface FederationService
  extends Authentication,
    Delivering,
    PublishedLists,
    FederationCommands,
    FederationUpkeep {
  /**
   * Who calls with a token, by what it says. Throws INVALID_TOKEN where its certificate would not be accepted any more.
   */
  callerOf(token: { deviceId: string; extra: Readonly<Record<string, unknown>> }): Awaitable<{ domain: string }>;
  start(): Promise<void>;
  /** Ends sending, then the calls to peers. */
  stop(): Promise<void>;
  /** For the mailbox: takes accepted messages for other servers into the outbox, in the caller's transaction. */
  forward: Forward;
  /** Messages on their way: what operators may see and do. */
  outbox: OutboxCommands & Pick<Outbox, "expireWaiting" | "forgetDestinations">;
  /** The hosts that a federated message with this id came from to one of these prefixes, while retention lasts. */
  originsOf(db: Db, delivered: { messageId: string; prefixes: readonly string[] }): Promise<string[]>;
  /** Counts a spam report against an origin; a reporter counts once in the days that a score looks at. */
  recordSpam: Spam["record"];
  /** The keys of a server on the allowlist, for invites; none for every other server, or where it does not answer. */
  allowlistedKeys(domain: string): Promise<readonly PublicJwk[]>;
}

export interface FederationDeps {
  db: Knex;
  /** Of the same database; what each transaction asks goes over connections apart. */
  databaseUrl: string;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** This server's name. */
  domain: string;
  settings: Pick<SettingsService, "current" | "update">;
  secrets: Pick<Secrets, "get">;
  tokens: Pick<Tokens, "issue">;
  signingKeys: Pick<SigningKeys, "signer">;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  ipWindows: Pick<IpWindows, "take">;
  /** The mailbox's intake. */
  mailbox: Pick<MailboxService, "accept" | "keyOf">;
  /** How names of peers are resolved. */
  resolve: Resolve;
  config: Config & OutboxDeps["config"];
}

/** Connections of a node for what each transaction asks, whichever way it goes. */
const laneCount = 4;

export function createFederationService(deps: FederationDeps): FederationService {
  const { settings, config } = deps;
  const statuses = createServerStatuses(deps);
  const judging = createJudging(deps);
  const peers = createPeerConcurrencyLimit({ ...deps, statuses });
  const pipelined = createPipelinedConnections({ url: deps.databaseUrl, config, count: laneCount });
  const outbox = createOutbox({ ...deps, pipelined, statuses, calls: peers.calls });
  const admission = createAdmission({ ...deps, statuses });
  const peerCalled = outbox.peerCalled;
  const nonces = createNonces(deps);
  const origins = createOrigins(deps);
  const trust = () => peers.trust.current();
  const certificateChecks = createCertificateChecks(deps);
  const sessionCertificates = createSessionCertificates({ ...deps, trust, certificateChecks });
  const authentication = createAuthentication({
    ...{ ...deps, admission, nonces, trust, peerCalled, certificateChecks, sessionCertificates },
    callerLimits: createCallerLimits(deps),
  });
  const transactions = createTransactions<DeliveryAnswer>(deps);
  const delivering = createDelivering({ ...deps, pipelined, admission, transactions, origins, judging, peerCalled });
  const lists = createPeerLists({ ...deps, ...peers, statuses, judging });
  const spam = createSpam({ ...deps, judging });

  return {
    ...authentication,
    ...delivering,
    ...createPublishedLists(deps),
    ...createFederationCommands({ ...deps, statuses, judging, unblocked: outbox.unblocked }),
    ...upkeepOf(deps, { judging, origins, peers, fetchLists: () => lists.fetchAll() }),
    ...lifecycleOf({ statuses, peers, outbox, pipelined, secrets: deps.secrets }),
    forward: outbox.forward,
    callerOf: ({ deviceId: domain, extra: claims }) =>
      chain(sessionCertificates.check({ domain: domain as Domain, claims }), () => ({ domain })),
    outbox,
    originsOf: (db, delivered) => origins.find(db, delivered),
    recordSpam: (db, report) => spam.record(db, report),
    async allowlistedKeys(text) {
      const domain = parseDomain(text, { privateAllowed: config.federationAllowPrivate });
      if (domain === undefined || !settings.current().federation.enabled) return [];
      const isTrusted = statuses.isAllowlisted(hostOf(domain)) && statuses.of(domain) !== "blocked";
      return isTrusted ? peers.keys.of(domain).catch(() => []) : [];
    },
  };
}

/** What is begun last is ended first: nothing is sent once the calls to peers have ended. */
function lifecycleOf(parts: {
  statuses: ServerStatusCache;
  peers: PeerConcurrencyLimit;
  outbox: Outbox;
  pipelined: PipelinedConnections;
  secrets: Pick<Secrets, "get">;
}): Pick<FederationService, "start" | "stop"> {
  const { statuses, peers, outbox, pipelined, secrets } = parts;
  return {
    async start() {
      // Read once here, so that nobody in a transaction waits for another connection to read them.
      for (const name of [noncesSecret, originsSecret, spamSecret]) await secrets.get(name);
      await peers.start();
      await statuses.start();
      outbox.start();
    },
    async stop() {
      await outbox.stop();
      await statuses.stop();
      await peers.stop();
      await pipelined.stop();
    },
  };
}

interface UpkeepParts {
  judging: Judging;
  origins: Origins;
  peers: PeerConcurrencyLimit;
  fetchLists(): Promise<void>;
}

function upkeepOf({ db, clock, config }: FederationDeps, parts: UpkeepParts): FederationUpkeep {
  const { judging, origins, peers } = parts;
  return {
    flushCounts: () => peers.counts.flush(),
    endBlocks: () => judging.endBlocks(),
    judgeAll: () => judging.judgeAll(),
    fetchLists: () => parts.fetchLists(),
    async removeExpired() {
      const now = clock.nowSeconds();
      await deleteExpiredNonces(db, now);
      await deleteExpiredChains(db, now);
      await deleteExpiredTransactions(db, now);
      await deleteOldWindows(db, now - windowKeptSeconds);
      const since = now - config.scoreWindowSeconds;
      await deleteOldCounts(db, { beforeDay: dayOf(since), spamBefore: since });
      await origins.removeExpired(db);
    },
    async forgetPeers() {
      const before = clock.nowSeconds() - config.federationPeerRetentionSeconds;
      const limit = config.expiryStepRows;
      for (let forgotten = limit; forgotten === limit; ) {
        forgotten = await deleteForgottenPeers(db, { before, limit });
      }
    },
  };
}

const windowKeptSeconds = hourSeconds;
