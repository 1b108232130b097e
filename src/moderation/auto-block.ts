import type { AuditAction, AuditService } from "../audit/service.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import { isBarred, type TrustTier } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import type { Reason } from "./report.js";
import { type Weight, weighReports } from "./store.js";

/** What the reports about a device come to. */
export interface SpamStanding {
  /** Different reporters that count. */
  reporters: number;
  /** The score of the last days. */
  score: number;
  /** Whether it should be looked at. */
  flagged: boolean;
}

/** What follows from verified reports. */
export interface Consequences {
  /** In the order of the ids. */
  standingsOf(db: Db, deviceIds: readonly string[], now: number): Promise<SpamStanding[]>;
  /**
   * Draws the consequences of one more report about a device whose row the caller has locked, with the audit entries.
   * Answers whether the device was blocked or banned.
   */
  draw(db: Db, report: { reported: Device; reason: Reason; now: number }): Promise<boolean>;
  /** Notes in the audit log that another server's device was reported. */
  noteOrigin(db: Db, report: { origin: string; reason: Reason }): Promise<void>;
}

const bySystem = { admin: null, ipAddress: null, userAgent: null };

export function createConsequences(deps: {
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "block" | "ban">;
  settings: Pick<SettingsService, "current">;
  config: ScoreConfig;
}): Consequences {
  const { audit, devices, settings, config } = deps;

  const standingsOf = async (db: Db, reported: readonly string[], now: number): Promise<SpamStanding[]> => {
    const since = now - config.spamScoreWindowSeconds;
    const weights = await weighReports(db, { reported, ...countingTiers(config), since });
    return reported.map((id) => {
      const weight = weights.get(id) ?? { reporters: 0, score: 0 };
      return { ...weight, flagged: isFlagged(weight, config) };
    });
  };

  return {
    standingsOf,
    async draw(db, { reported, reason, now }) {
      const target = reported.deviceId;
      const [standing] = (await standingsOf(db, [target], now)) as [SpamStanding];
      const note = (action: AuditAction, details: Readonly<Record<string, unknown>>) =>
        audit.record(db, { ...bySystem, action, target, details });
      await note("spam_reported", { reason, ...standing });
      const verdict = evaluateReports(standing, { ...reported, now }, settings.current().progressive_trust);
      const { reporters, score } = standing;
      if (verdict === "block") {
        await devices.block(db, target, now);
        await note("device_blocked", { reporters, score });
      } else if (verdict === "ban") {
        const until = now + config.spamBanSeconds;
        await devices.ban(db, target, until);
        await note("device_banned", { reporters, score, until });
      }
      return verdict !== "none";
    },
    async noteOrigin(db, { origin, reason }) {
      await audit.record(db, { ...bySystem, action: "spam_reported", target: origin, details: { reason } });
    },
  };
}

export type ScoreConfig = Pick<
  Config,
  | "spamReporterMinTier"
  | "spamWarningReports"
  | "spamScoreWindowSeconds"
  | "spamScoreEstablished"
  | "spamScoreTrusted"
  | "spamBanSeconds"
>;

export interface Thresholds {
  spam_report_block_threshold: number;
  spam_score_threshold: number;
}

const ascending: readonly TrustTier[] = ["new", "established", "trusted", "verified"];

/** The tiers whose reports count, each with what it adds to the score. A barred reporter is in none of them. */
export function countingTiers(config: ScoreConfig): { tiers: TrustTier[]; weights: number[] } {
  const tiers = ascending.slice(ascending.indexOf(config.spamReporterMinTier));
  const weightOf = (tier: TrustTier): number =>
    tier === "trusted" || tier === "verified" ? config.spamScoreTrusted : config.spamScoreEstablished;
  return { tiers, weights: tiers.map(weightOf) };
}

/**
 * What follows from the reports about a device: a block at the threshold of reporters, a ban above the threshold of the
 * score, or nothing. A device that is barred already is left as it is, so reports cannot lengthen a ban.
 */
export function evaluateReports(
  { reporters, score }: Weight,
  device: { blockedAt: number | null; bannedUntil: number | null; now: number },
  thresholds: Thresholds,
): "block" | "ban" | "none" {
  if (device.blockedAt !== null) return "none";
  if (reporters >= thresholds.spam_report_block_threshold) return "block";
  if (isBarred(device)) return "none";
  return score > thresholds.spam_score_threshold ? "ban" : "none";
}

/** Whether a device is flagged: enough reporters to look at it, not enough to block it by themselves. */
export function isFlagged({ reporters }: Weight, config: Pick<ScoreConfig, "spamWarningReports">): boolean {
  return reporters >= config.spamWarningReports;
}
