import { type AuditAction, type AuditService, bySystem } from "../audit/service.js";
import type { Db } from "../database/db.js";
import type { Device, DevicesService } from "../devices/service.js";
import { createLruCache } from "../platform/lru-cache.js";
import { isBarred, type TrustTier } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import type { ModerationSettings } from "./config.js";
import type { Reason } from "./reasons.js";
import { countUnverified, type Weight, weighReports } from "./store.js";

const rememberedDevices = 10_000;

/** The reports about a device, counted and scored. */
export interface SpamStatus {
  /** The number of distinct reporters that count. */
  reporters: number;
  /** How many of them are devices of this relay. */
  own: number;
  /** The score within the score window. */
  score: number;
  /** True if an administrator should look at the device. */
  flagged: boolean;
}

/** Blocks and bans devices by the verified reports about them. */
export type AutoBlock = ReturnType<typeof createAutoBlock>;

export function createAutoBlock(deps: {
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "block" | "ban">;
  settings: Pick<SettingsService, "current">;
  config: ModerationSettings;
}) {
  const { audit, devices, settings, config } = deps;
  // In memory, because what another relay claims is stored nowhere.
  const ofPeers = createLruCache<string, number>(rememberedDevices);

  /** Less and less often, so that reports do not fill the log. */
  const noteUnverified = async (
    db: Db,
    { reported: target, reason }: { reported: string; reason: Reason },
    counted: { unverified_reports: number; by_relay?: true },
  ): Promise<void> => {
    if (!isPowerOfTwo(counted.unverified_reports)) return;
    const details = { reason, verified: false, ...counted };
    await audit.record(db, { ...bySystem, action: "spam_reported", target, details });
  };
  const spamStatusOf = async (db: Db, reported: readonly string[], now: number): Promise<SpamStatus[]> => {
    const since = now - config.spamScoreWindowSeconds;
    const { spam_report_block_threshold: blocksAt } = settings.current().progressive_trust;
    const ofOnePeer = Math.min(config.spamReportersOfOnePeer, blocksAt - 1);
    const weights = await weighReports(db, { reported, ...countingTiers(config), since, ofOnePeer });
    return reported.map((id) => {
      const weight = weights.get(id) ?? { reporters: 0, own: 0, score: 0 };
      return { ...weight, flagged: isFlagged(weight, config) };
    });
  };

  return {
    /** The spam status of devices, in the order of the ids. */
    spamStatusOf,
    /**
     * Applies one more report about a device, whose row the caller has locked, and writes the audit entries. Returns true if
     * the device was blocked or banned.
     */
    async apply(
      db: Db,
      { reported, reason, now }: { reported: Device; reason: Reason; now: number },
    ): Promise<boolean> {
      const target = reported.deviceId;
      const [status] = (await spamStatusOf(db, [target], now)) as [SpamStatus];
      const record = (action: AuditAction, details: Readonly<Record<string, unknown>>) =>
        audit.record(db, { ...bySystem, action, target, details });
      const { own, ...counted } = status;
      await record("spam_reported", { reason, ...counted });
      const thresholds = settings.current().progressive_trust;
      // Domains cost little: however many relays an attacker has, they flag a device and do no more.
      const isSupported = own === status.reporters || own >= config.spamReportersOfOwn;
      const consequence = isSupported ? evaluateReports(status, { ...reported, now }, thresholds) : "none";
      const { reporters, score } = status;
      if (consequence === "block") {
        await devices.block(db, target, now);
        await record("device_blocked", { reporters, score });
      } else if (consequence === "ban") {
        const until = now + config.spamBanSeconds;
        await devices.ban(db, target, until);
        await record("device_banned", { reporters, score, until });
      }
      return consequence !== "none";
    },
    /**
     * Records that reports about a device could not be verified: the first, second, fourth, eighth and so on, or anyone could
     * fill the log. They have no consequence.
     */
    async recordUnverified(db: Db, { reported, reason }: { reported: string; reason: Reason }): Promise<void> {
      await noteUnverified(db, { reported, reason }, { unverified_reports: await countUnverified(db, reported) });
    },
    /** The same for a report of another relay, which is stored nowhere else. */
    async recordUnverifiedOfPeer(db: Db, { reported, reason }: { reported: string; reason: Reason }): Promise<void> {
      const unverified = (ofPeers.get(reported) ?? 0) + 1;
      ofPeers.set(reported, unverified);
      await noteUnverified(db, { reported, reason }, { unverified_reports: unverified, by_relay: true });
    },
    /** Records in the audit log that a device of another server was reported. */
    async recordOrigin(db: Db, { origin, reason }: { origin: string; reason: Reason }): Promise<void> {
      await audit.record(db, { ...bySystem, action: "spam_reported", target: origin, details: { reason } });
    },
  };
}

interface Thresholds {
  spam_report_block_threshold: number;
  spam_score_threshold: number;
}

const ascending: readonly TrustTier[] = ["new", "established", "trusted", "verified"];

/** Whether the reports of a device of this tier count. */
export function countsAsReporter(tier: TrustTier, config: Pick<ModerationSettings, "spamReporterMinTier">): boolean {
  return ascending.indexOf(tier) >= ascending.indexOf(config.spamReporterMinTier);
}

/** The tiers whose reports count, and the score that each adds. A blocked or banned reporter is in none of them. */
function countingTiers(config: ModerationSettings): { tiers: TrustTier[]; weights: number[] } {
  const tiers = ascending.slice(ascending.indexOf(config.spamReporterMinTier));
  const weightOf = (tier: TrustTier): number =>
    tier === "trusted" || tier === "verified" ? config.spamScoreTrusted : config.spamScoreEstablished;
  return { tiers, weights: tiers.map(weightOf) };
}

/**
 * The consequence of the reports about a device: a block at the threshold of reporters, a ban above the threshold of the
 * score, or none. Nothing changes for a banned device unless reports block it, so they cannot lengthen a ban.
 */
function evaluateReports(
  { reporters, score }: Weight,
  device: { blockedAt: number | null; bannedUntil: number | null; now: number },
  thresholds: Thresholds,
): "block" | "ban" | "none" {
  if (device.blockedAt !== null) return "none";
  if (reporters >= thresholds.spam_report_block_threshold) return "block";
  if (isBarred(device)) return "none";
  return score > thresholds.spam_score_threshold ? "ban" : "none";
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

/** True if enough devices have reported a device for an administrator to look at it. */
function isFlagged({ reporters }: Weight, config: Pick<ModerationSettings, "spamWarningReports">): boolean {
  return reporters >= config.spamWarningReports;
}
