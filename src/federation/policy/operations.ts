import type { Database, Transaction } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { type Domain, hostOf, parseDomain } from "../../protocol/address.js";
import { invalidMember, RelayError } from "../../protocol/errors.js";
import type { SettingsNote, SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { Block, BlockRequest, FederationPolicy, Note, PeerList, Reputation } from "../model/types.js";
import { readPeerDomain } from "../peers/hosts.js";
import {
  countBlocks,
  deleteBlock,
  raisePolicyVersion,
  readAllowlist,
  readBlocks,
  readList,
  readListed,
  readLists,
  replaceAllowlist,
  upsertBlock,
} from "../peers/policy-store.js";
import { type ListedPeer, listPeers } from "../peers/read-model.js";
import type { ServerStatusCache } from "../peers/server-status.js";
import { readPeer, restartCounters } from "../peers/store.js";
import type { Reputations } from "./reputation-updates.js";

/** What administrators can do and ask. `note` runs in the transaction of the operation. */
interface FederationOperations {
  /** Blocks a server and the names below it. Throws INVALID_ADDRESS, and INVALID_REQUEST for an end in the past. */
  block(request: BlockRequest, by: string | null, note?: Note<Block>): Promise<Block>;
  /** Ends a block and restarts the counters of the servers it covered. Throws NOT_FOUND and INVALID_ADDRESS. */
  unblock(domain: string, note?: Note<string>): Promise<{ domain: string; unblockedAt: number }>;
  /** The blocks in force, the latest first. */
  blocks(page: { limit: number; offset: number }): Promise<{ blocks: Block[]; total: number }>;
  /** Servers this one has had contact with, the most recently active first. */
  peers(page: { limit: number; offset: number }): Promise<ListedPeer[]>;
  /** The stored block lists of peers, ordered by publisher. */
  peerLists(page: { limit: number; offset: number }): Promise<(PeerList & { servers: number })[]>;
  /** One list with the hosts on it. Throws NOT_FOUND and INVALID_ADDRESS. */
  peerList(publisher: string): Promise<PeerList & { servers: string[] }>;
  /** A server's name as it is stored, in lower case with its port. Throws INVALID_ADDRESS. */
  nameOf(domain: string): Domain;
  /** Throws SERVER_UNREACHABLE for a server without a record, and INVALID_ADDRESS if it is not a domain. */
  reputation(domain: string): Promise<Reputation>;
  policy(): Promise<FederationPolicy>;
  /** Replaces the given members of the policy. Throws INVALID_ADDRESS and INVALID_CONFIG. */
  setPolicy(patch: Partial<FederationPolicy>, by: string, note?: SettingsNote): Promise<FederationPolicy>;
}

interface FederationOperationsDeps {
  db: Database;
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current" | "update">;
  statuses: Pick<ServerStatusCache, "ask" | "refresh">;
  reputations: Pick<Reputations, "evaluate">;
  /** Called with a host that is no longer blocked. */
  unblocked(host: string): void;
  config: Pick<FederationSettings, "federationAllowPrivate">;
}

const none = async (): Promise<void> => undefined;

export function createFederationOperations(deps: FederationOperationsDeps): FederationOperations {
  const { db, clock, settings, statuses, reputations, config } = deps;
  const rules = { ownDomain: deps.domain, privateAllowed: config.federationAllowPrivate };
  const hostNamed = (text: string): string => hostOf(readPeerDomain(text, rules));
  const changing = changingPolicy(deps);

  return {
    ...createPeerQueries(deps),
    async block({ domain, reason, expiresAt = null, category = "other", severity = "medium" }, by, note = none) {
      const host = hostNamed(domain);
      const about = { domain: host, reason, blockedBy: by, expiresAt, category, severity };
      if (expiresAt !== null && expiresAt <= clock.nowSeconds()) throw endedAlready();
      const blockedAt = await changing(async (trx, now) => {
        const block = { ...about, blockedAt: now };
        await upsertBlock(trx, block);
        await note(trx, block);
      });
      return { ...about, blockedAt };
    },
    async unblock(domain, note = none) {
      const host = hostNamed(domain);
      const unblockedAt = await changing(async (trx, now) => {
        if (!(await deleteBlock(trx, { domain: host, now }))) throw notBlocked();
        await restartCounters(trx, host);
        await note(trx, host);
      });
      deps.unblocked(host);
      return { domain: host, unblockedAt };
    },
    nameOf: (text) => readPeerDomain(text, rules),
    async reputation(text) {
      const domain = readPeerDomain(text, rules);
      const host = hostOf(domain);
      const peer = await readPeer(db, host);
      if (peer === undefined) throw new RelayError("SERVER_UNREACHABLE", "there has been no contact with this server");
      const found = await reputations.evaluate(db, host);
      const status = await statuses.ask(domain);
      return {
        domain: host,
        score: found.score,
        deductions: found.deductions,
        delivered: found.delivered,
        rejected: found.rejected,
        spamReports: found.spamReports,
        uptimePercentage: found.calls === 0 ? null : (100 * (found.calls - found.callsFailed)) / found.calls,
        averageResponseMillis: averageOf(found),
        certificateValid: peer.certificateValid,
        status: status === "unlisted" ? peer.status : status,
        listings: found.listings,
        firstContact: peer.firstContact,
        lastActivity: peer.lastActivity,
      };
    },
    policy: async () => ({ ...policyOf(settings), allowlist: await readAllowlist(db) }),
    async setPolicy(patch, by, note = none) {
      const domains = patch.allowlist && [...new Set(patch.allowlist.map((text) => readAllowed(text, rules)))];
      await settings.update({ federation: settingsOf(patch) }, by, async (trx, change) => {
        const now = clock.nowSeconds();
        await raisePolicyVersion(trx, now);
        if (domains !== undefined) await replaceAllowlist(trx, { domains, now, by });
        await note(trx, change);
      });
      await statuses.refresh();
      return { ...policyOf(settings), allowlist: await readAllowlist(db) };
    },
  };
}

/** What is known about peers, their lists and blocks. */
function createPeerQueries({
  db,
  clock,
  domain,
  config,
}: Pick<FederationOperationsDeps, "db" | "clock" | "domain" | "config">): Pick<
  FederationOperations,
  "blocks" | "peers" | "peerLists" | "peerList"
> {
  const rules = { ownDomain: domain, privateAllowed: config.federationAllowPrivate };
  return {
    async blocks(page) {
      const now = clock.nowSeconds();
      return { blocks: await readBlocks(db, { now, ...page }), total: await countBlocks(db, now) };
    },
    peers: (page) => listPeers(db, { now: clock.nowSeconds(), ...page }),
    peerLists: (page) => readLists(db, page),
    async peerList(text) {
      const list = await readList(db, hostOf(readPeerDomain(text, rules)));
      if (list === undefined) throw new RelayError("NOT_FOUND", "no block list of this server is held");
      return { ...list, servers: await readListed(db, list.publisher) };
    },
  };
}

/** Changes the policy under a new version and applies it on this node. Resolves to the time of the change. */
function changingPolicy({ db, clock, statuses }: Pick<FederationOperationsDeps, "db" | "clock" | "statuses">) {
  return async (work: (trx: Transaction, now: number) => Promise<void>): Promise<number> => {
    const now = clock.nowSeconds();
    await db.transaction(async (trx) => {
      await raisePolicyVersion(trx, now);
      await work(trx, now);
    });
    await statuses.refresh();
    return now;
  };
}

function averageOf({ calls, callsFailed, callMillis }: { calls: number; callsFailed: number; callMillis: number }) {
  const answered = calls - callsFailed;
  return answered === 0 ? null : Math.round(callMillis / answered);
}

function readAllowed(text: string, rules: { ownDomain: string; privateAllowed: boolean }): string {
  const domain: Domain | undefined = parseDomain(text, rules);
  if (domain === undefined)
    throw new RelayError("INVALID_ADDRESS", "the allowlist contains something that is not a domain");
  return hostOf(domain);
}

function policyOf(settings: Pick<SettingsService, "current">): Omit<FederationPolicy, "allowlist"> {
  const { federation } = settings.current();
  return {
    allowlistMode: federation.allowlist_mode,
    autoBlockThreshold: federation.auto_block_threshold,
    requireCertificateValidation: federation.certificate_validation,
    publishBlocklist: federation.publish_blocklist,
  };
}

type FederationGroup = NonNullable<Parameters<SettingsService["update"]>[0]["federation"]>;

function settingsOf(patch: Partial<FederationPolicy>): FederationGroup {
  const { allowlistMode, autoBlockThreshold, requireCertificateValidation, publishBlocklist } = patch;
  return {
    ...(allowlistMode !== undefined && { allowlist_mode: allowlistMode }),
    ...(autoBlockThreshold !== undefined && { auto_block_threshold: autoBlockThreshold }),
    ...(requireCertificateValidation !== undefined && { certificate_validation: requireCertificateValidation }),
    ...(publishBlocklist !== undefined && { publish_blocklist: publishBlocklist }),
  };
}

function notBlocked(): RelayError {
  return new RelayError("NOT_FOUND", "this server is not blocked");
}

function endedAlready(): RelayError {
  return invalidMember("expires_at", "must lie in the future");
}
