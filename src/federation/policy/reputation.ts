import type { Knex } from "knex";
import type { AuditService } from "../../audit/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import { type Db, inTransaction } from "../../platform/database/connection.js";
import { type FederationStatus, reputationScore, reputationStatus } from "../../protocol/reputation.js";
import { daySeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import { namesCovering, registrableOf } from "../peers/hosts.js";
import {
  type PeerTotals,
  readActiveHosts,
  readPeer,
  readTotals,
  restartCounters,
  setPeerStatus,
} from "../peers/store.js";
import { deleteEndedBlocks, insertBlockIfNone, raisePolicyVersion } from "./store.js";

/** What is thought of a host by its traffic. */
export interface Judgement extends PeerTotals {
  score: number;
  /** What should follow from the score. */
  status: FederationStatus;
}

/** Keeps the standings of peers in step with their scores. */
export interface Judging {
  appraise(db: Db, host: string): Promise<Judgement>;
  /** Appraises a host and lets follow what follows: limits it, lifts the limit, or blocks it for a while. */
  judge(db: Db, host: string): Promise<void>;
  /** Judges every host with traffic: as days pass, old traffic ceases to count. */
  judgeAll(): Promise<void>;
  /** Ends the blocks whose time is over; their servers begin anew. */
  endBlocks(): Promise<void>;
}

export interface JudgingDeps {
  db: Knex;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  audit: Pick<AuditService, "record">;
  config: Pick<
    Config,
    | "scoreWindowSeconds"
    | "scoreMinMessages"
    | "limitedBelowScore"
    | "automaticBlockSeconds"
    | "blocklistPeerMinAgeSeconds"
    | "blocklistPeerMinMessages"
    | "blocklistMaxPenalties"
  >;
}

export function createJudging(deps: JudgingDeps): Judging {
  const { db, clock, config } = deps;

  const appraise = async (at: Db, host: string): Promise<Judgement> => {
    const totals = await readTotals(at, { host, ...spanOf(host, { now: clock.nowSeconds(), config }) });
    const score = reputationScore(totals, config.blocklistMaxPenalties);
    return { ...totals, score, status: reputationStatus(score, totals, rulesOf(deps)) };
  };
  const follow = async (trx: Knex.Transaction, host: string): Promise<void> => {
    await endBlocksWithin(trx, clock.nowSeconds());
    const judgement = await appraise(trx, host);
    if (judgement.status === "blocked") await block(deps, trx, { host, ...judgement });
    const status = judgement.status === "active" ? "active" : "limited";
    if (await setPeerStatus(trx, { host, status })) await raisePolicyVersion(trx, clock.nowSeconds());
  };
  const judge = async (at: Db, host: string): Promise<void> => {
    const { status } = await appraise(at, host);
    const peer = await readPeer(at, host);
    if (peer !== undefined && status !== peer.status) await inTransaction(at, (trx) => follow(trx, host));
  };

  return {
    appraise,
    judge,
    async judgeAll() {
      const sinceDay = dayOf(clock.nowSeconds() - config.scoreWindowSeconds);
      for (const host of await readActiveHosts(db, { sinceDay })) await judge(db, host);
    },
    endBlocks: () => inTransaction(db, (trx) => endBlocksWithin(trx, clock.nowSeconds())),
  };
}

/** The number of a day, for counters by day. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / daySeconds);
}

function spanOf(host: string, { now, config }: { now: number; config: JudgingDeps["config"] }) {
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

function rulesOf({ settings, config }: JudgingDeps) {
  return {
    autoBlockThreshold: settings.current().federation.auto_block_threshold,
    limitedBelow: config.limitedBelowScore,
    minMessages: config.scoreMinMessages,
  };
}

async function endBlocksWithin(trx: Knex.Transaction, now: number): Promise<void> {
  const ended = await deleteEndedBlocks(trx, now);
  if (ended.length === 0) return;
  for (const domain of ended) await restartCounters(trx, domain);
  await raisePolicyVersion(trx, now);
}

async function block(
  { clock, audit, config }: JudgingDeps,
  trx: Knex.Transaction,
  { host, score }: { host: string; score: number },
): Promise<void> {
  const now = clock.nowSeconds();
  const expiresAt = now + config.automaticBlockSeconds;
  const reason = `reputation ${score.toFixed(2)} is below the threshold`;
  const kind = { category: "spam", severity: "medium" } as const;
  const blocked = { domain: host, blockedAt: now, reason, blockedBy: null, expiresAt, ...kind };
  if (!(await insertBlockIfNone(trx, blocked, namesCovering(host)))) return;
  await raisePolicyVersion(trx, now);
  const details = { reason, expires_at: expiresAt, automatic: true, score };
  await audit.record(trx, {
    ...{ action: "federation_blocked", admin: null, target: host, details, ipAddress: null, userAgent: null },
  });
}
