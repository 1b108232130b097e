import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Forward, MailboxService } from "../mailbox/service.js";
import type { MetricsService } from "../metrics/service.js";
import { type Awaitable, chain } from "../platform/awaitable.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import { createLanes, type Lanes } from "../platform/database/pipelines.js";
import type { PublicJwk } from "../platform/ed25519-keys.js";
import type { IpWindows } from "../platform/ip-windows.js";
import type { Logger } from "../platform/logger.js";
import type { Nodes } from "../platform/nodes.js";
import type { Random } from "../platform/random.js";
import type { Resolve } from "../platform/resolver.js";
import type { Secrets } from "../platform/secrets.js";
import type { SigningKeys } from "../platform/signing-keys.js";
import type { Tokens } from "../platform/tokens.js";
import { type Domain, hostOf, parseDomain } from "../protocol/address.js";
import type { SettingsService } from "../settings/service.js";
import { createAdmission } from "./admission.js";
import { type Authentication, createAuthentication } from "./authentication.js";
import { createCallerLimits } from "./caller-limits.js";
import { createCertificateChecks } from "./certificate-checks.js";
import { createDeeds, type FederationDeeds } from "./deeds.js";
import { createDelivering, type Delivering, type DeliveryAnswer } from "./delivering.js";
import type { FederationUpkeep } from "./jobs.js";
import { createJudging, dayOf, type Judging } from "./judging.js";
import { deleteExpiredNonces } from "./nonce-store.js";
import { createNonces, noncesSecret } from "./nonces.js";
import { createOrigins, type Origins, originsSecret } from "./origins.js";
import { createOutbox, type Outbox, type OutboxDeeds, type OutboxNeeds } from "./outbox.js";
import { createPeerLists } from "./peer-lists.js";
import { createPeerRoom, type PeerRoom } from "./peer-room.js";
import { deleteForgottenPeers, deleteOldCounts } from "./peer-store.js";
import { createPublishedLists, type PublishedLists } from "./published-list.js";
import { deleteExpiredChains } from "./session-certificate-store.js";
import { createSessionCertificates } from "./session-certificates.js";
import { createSpam, type Spam, spamSecret } from "./spam.js";
import { createStandings, type StandingsCopy } from "./standing.js";
import { deleteExpiredTransactions } from "./transaction-store.js";
import { createTransactions } from "./transactions.js";
import { deleteOldWindows } from "./window-store.js";

export type { Proof } from "./authentication.js";
export type { Block, BlockRequest, ReasonCategory, Severity } from "./block.js";
export type { FederationDeeds, FederationPolicy, Note, Reputation } from "./deeds.js";
export type { Delivery, DeliveryAnswer, FederatedMessage } from "./delivering.js";
export { scheduleFederationJobs } from "./jobs.js";
export type { Actor, Backlog, OutboxDeeds } from "./outbox.js";
export { scheduleOutboxJobs } from "./outbox-expiry.js";

/** The dealings with other relays: being called by them, judging them, and (`forward`) sending to them. */
export interface FederationService
  extends Authentication,
    Delivering,
    PublishedLists,
    FederationDeeds,
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
  outbox: OutboxDeeds & Pick<Outbox, "expireWaiting" | "forgetDestinations">;
  /** The hosts that a federated message with this id came from to one of these prefixes, while retention lasts. */
  originsOf(db: Db, delivered: { messageId: string; prefixes: readonly string[] }): Promise<string[]>;
  /** Counts a spam report against an origin; a reporter counts once in the days that a score looks at. */
  recordSpam: Spam["record"];
  /** The keys of a server on the allowlist, for invites; none for every other server, or where it does not answer. */
  allowlistedKeys(domain: string): Promise<readonly PublicJwk[]>;
}

export interface FederationNeeds {
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
  limits: Config & OutboxNeeds["limits"];
}

/** Connections of a node for what each transaction asks, whichever way it goes. */
const laneCount = 4;

export function createFederationService(needs: FederationNeeds): FederationService {
  const { settings, limits } = needs;
  const standings = createStandings(needs);
  const judging = createJudging(needs);
  const peers = createPeerRoom({ ...needs, standings });
  const lanes = createLanes({ url: needs.databaseUrl, limits, count: laneCount });
  const outbox = createOutbox({ ...needs, lanes, standings, calls: peers.calls });
  const admission = createAdmission({ ...needs, standings });
  const peerCalled = outbox.peerCalled;
  const nonces = createNonces(needs);
  const origins = createOrigins(needs);
  const trust = () => peers.trust.current();
  const certificateChecks = createCertificateChecks(needs);
  const sessionCertificates = createSessionCertificates({ ...needs, trust, certificateChecks });
  const authentication = createAuthentication({
    ...{ ...needs, admission, nonces, trust, peerCalled, certificateChecks, sessionCertificates },
    callerLimits: createCallerLimits(needs),
  });
  const transactions = createTransactions<DeliveryAnswer>(needs);
  const delivering = createDelivering({ ...needs, lanes, admission, transactions, origins, judging, peerCalled });
  const lists = createPeerLists({ ...needs, ...peers, standings, judging });
  const spam = createSpam({ ...needs, judging });

  return {
    ...authentication,
    ...delivering,
    ...createPublishedLists(needs),
    ...createDeeds({ ...needs, standings, judging, unblocked: outbox.unblocked }),
    ...upkeepOf(needs, { judging, origins, peers, fetchLists: () => lists.fetchAll() }),
    ...lifecycleOf({ standings, peers, outbox, lanes, secrets: needs.secrets }),
    forward: outbox.forward,
    callerOf: ({ deviceId: domain, extra: claims }) =>
      chain(sessionCertificates.check({ domain: domain as Domain, claims }), () => ({ domain })),
    outbox,
    originsOf: (db, delivered) => origins.find(db, delivered),
    recordSpam: (db, report) => spam.record(db, report),
    async allowlistedKeys(text) {
      const domain = parseDomain(text, { privateAllowed: limits.federationAllowPrivate });
      if (domain === undefined || !settings.current().federation.enabled) return [];
      const isTrusted = standings.isAllowlisted(hostOf(domain)) && standings.of(domain) !== "blocked";
      return isTrusted ? peers.keys.of(domain).catch(() => []) : [];
    },
  };
}

/** What is begun last is ended first: nothing is sent once the calls to peers have ended. */
function lifecycleOf(parts: {
  standings: StandingsCopy;
  peers: PeerRoom;
  outbox: Outbox;
  lanes: Lanes;
  secrets: Pick<Secrets, "get">;
}): Pick<FederationService, "start" | "stop"> {
  const { standings, peers, outbox, lanes, secrets } = parts;
  return {
    async start() {
      // Read once here, so that nobody in a transaction waits for another connection to read them.
      for (const name of [noncesSecret, originsSecret, spamSecret]) await secrets.get(name);
      await peers.start();
      await standings.start();
      outbox.start();
    },
    async stop() {
      await outbox.stop();
      await standings.stop();
      await peers.stop();
      await lanes.stop();
    },
  };
}

interface UpkeepParts {
  judging: Judging;
  origins: Origins;
  peers: PeerRoom;
  fetchLists(): Promise<void>;
}

function upkeepOf({ db, clock, limits }: FederationNeeds, parts: UpkeepParts): FederationUpkeep {
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
      const since = now - limits.scoreWindowSeconds;
      await deleteOldCounts(db, { beforeDay: dayOf(since), spamBefore: since });
      await origins.removeExpired(db);
    },
    async forgetPeers() {
      const before = clock.nowSeconds() - limits.federationPeerRetentionSeconds;
      const limit = limits.expiryStepRows;
      for (let forgotten = limit; forgotten === limit; ) {
        forgotten = await deleteForgottenPeers(db, { before, limit });
      }
    },
  };
}

const windowKeptSeconds = 3_600;
