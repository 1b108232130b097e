import type { Config } from "../platform/config/config.js";
import { isBarred, type TrustTier } from "../protocol/trust-tier.js";
import type { Weight } from "./store.js";

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
