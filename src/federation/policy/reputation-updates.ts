import { type AuditService, bySystem } from "../../audit/service.js";
import { keyedHash } from "../../auth/keyed-hash.js";
import type { Secrets } from "../../auth/secrets.js";
import type { Database, Db, Transaction } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import {
  type FederationStatus,
  type ReputationDeductions,
  reputationDeductions,
  reputationScore,
  reputationStatus,
} from "../../protocol/reputation-score.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import { namesCovering } from "../peers/blocked-subdomains.js";
import { registrableOf } from "../peers/hosts.js";
import { deleteEndedBlocks, insertBlockIfNone, raisePolicyVersion } from "../peers/policy-store.js";
import { type PeerTotals, readTotals } from "../peers/read-model.js";
import { dayOf, readActiveHosts, readPeer, restartCounters, setPeerStatus, upsertSpam } from "../peers/store.js";

/** Maximum number of lists that count against one server. */
const blocklistMaxPenalties = 5;

/** A host's score, with the totals it was computed from. */
interface Evaluation extends PeerTotals {
  score: number;
  deductions: ReputationDeductions;
  /** The status that the score calls for. */
  status: FederationStatus;
}

/** Scores peers by their traffic and keeps their status up to date (specification, "Server reputation"). */
export type Reputations = ReturnType<typeof createReputations>;

interface ReputationDeps {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  secrets: Pick<Secrets, "get">;
  audit: Pick<AuditService, "record">;
  config: FederationSettings;
}

/** The name of the secret that hashes reports. */
export const spamSecret = "federation-spam";

export function createReputations(deps: ReputationDeps) {
  const { db, clock, secrets, config } = deps;

  const evaluate = async (at: Db, host: string): Promise<Evaluation> => {
    const totals = await readTotals(at, { host, ...windowOf(host, { now: clock.nowSeconds(), config }) });
    const score = reputationScore(totals, blocklistMaxPenalties);
    const deductions = reputationDeductions(totals, blocklistMaxPenalties);
    return { ...totals, score, deductions, status: reputationStatus(score, totals, thresholdsOf(deps)) };
  };
  const apply = async (trx: Transaction, host: string): Promise<void> => {
    await endBlocksWithin(trx, clock.nowSeconds());
    const { status: wanted, score } = await evaluate(trx, host);
    if (wanted === "blocked") await block(deps, trx, { host, score });
    const status = wanted === "active" ? "active" : "limited";
    if (await setPeerStatus(trx, { host, status })) await raisePolicyVersion(trx, clock.nowSeconds());
  };
  const update = async (at: Db, host: string): Promise<void> => {
    const { status } = await evaluate(at, host);
    const peer = await readPeer(at, host);
    if (peer !== undefined && status !== peer.status) await at.transaction((trx) => apply(trx, host));
  };

  return {
    evaluate,
    /** Evaluates a host and applies the result: limits it, lifts the limit, or blocks it for a while. */
    update,
    /** Updates every host with traffic, because old traffic ceases to count as days pass. */
    async updateAll(): Promise<void> {
      const sinceDay = dayOf(clock.nowSeconds() - config.scoreWindowSeconds);
      for (const host of await readActiveHosts(db, { sinceDay })) await update(db, host);
    },
    /** Removes blocks that have ended and restarts the counters of their servers. */
    endBlocks: (): Promise<void> => db.transaction((trx) => endBlocksWithin(trx, clock.nowSeconds())),
    /**
     * Counts a spam report against the origin of a message and updates the origin, in the caller's transaction. Each message
     * counts once for each reporter.
     */
    async recordSpam(
      at: Db,
      { origin, reporter, messageId }: { origin: string; reporter: string; messageId: string },
    ): Promise<void> {
      const reportHash = keyedHash(await secrets.get(spamSecret), origin, reporter, messageId);
      await upsertSpam(at, { host: origin, reportHash, now: clock.nowSeconds() });
      await update(at, origin);
    },
  };
}

/** The traffic, reports and lists that count towards a host's score at a moment. */
function windowOf(host: string, { now, config }: { now: number; config: ReputationDeps["config"] }) {
  return {
    names: namesCovering(host),
    registrable: registrableOf(host),
    sinceDay: dayOf(now - config.scoreWindowSeconds) + 1,
    spamSince: now - config.scoreWindowSeconds,
    knownBefore: now - config.blocklistPeerMinAgeSeconds,
    minDelivered: config.blocklistPeerMinMessages,
    now,
  };
}

function thresholdsOf({ settings, config }: ReputationDeps) {
  return {
    autoBlockThreshold: settings.current().federation.auto_block_threshold,
    limitedBelow: config.limitedBelowScore,
    minMessages: config.scoreMinMessages,
  };
}

async function endBlocksWithin(trx: Transaction, now: number): Promise<void> {
  const ended = await deleteEndedBlocks(trx, now);
  if (ended.length === 0) return;
  for (const domain of ended) await restartCounters(trx, domain);
  await raisePolicyVersion(trx, now);
}

async function block(
  { clock, audit, config }: ReputationDeps,
  trx: Transaction,
  { host, score }: { host: string; score: number },
): Promise<void> {
  const now = clock.nowSeconds();
  const expiresAt = now + config.automaticBlockSeconds;
  const reason = `reputation ${score.toFixed(2)} is below the threshold`;
  const blocked = {
    domain: host,
    blockedAt: now,
    reason,
    blockedBy: null,
    expiresAt,
    category: "spam",
    severity: "medium",
  } as const;
  if (!(await insertBlockIfNone(trx, blocked, namesCovering(host)))) return;
  await raisePolicyVersion(trx, now);
  await audit.record(trx, {
    ...bySystem,
    action: "federation_blocked",
    target: host,
    details: {
      ...{ reason, expires_at: expiresAt, reason_category: blocked.category, severity: blocked.severity },
      ...{ automatic: true, score },
    },
  });
}
