// The reputation of a federated server, from the traffic it sent here in the last seven days.

/** Incoming traffic of a server. `spamReports` counts pairs of reporter and message, `listings` the peers whose list names it. */
interface ServerTraffic {
  delivered: number;
  rejected: number;
  spamReports: number;
  listings: number;
}

export type FederationStatus = "active" | "limited" | "blocked";

/** From when on a score acts, and how. */
interface ReputationRules {
  /** Below this score a server is blocked. */
  autoBlockThreshold: number;
  /** Below this one it is limited. */
  limitedBelow: number;
  /** With fewer messages, delivered or rejected, nothing follows. */
  minMessages: number;
}

const spamWeight = 0.5;
const rejectionWeight = 0.3;
const listingWeight = 0.05;
const usualMostListings = 5;

/**
 * 1 - spam ratio × 0.5 - rejection ratio × 0.3 - listings × 0.05, within 0 to 1; higher is better. Ratios are taken of the
 * delivered messages (at least 1) and may exceed 1, or no share of rejections could lead to a block; at most `maxListings`
 * listings count.
 */
export function reputationScore(traffic: ServerTraffic, maxListings = usualMostListings): number {
  const { spam, rejections, listings } = reputationDeductions(traffic, maxListings);
  return Math.min(1, Math.max(0, 1 - spam - rejections - listings));
}

/** What is deducted from a score of 1, and for what. */
export interface ReputationDeductions {
  spam: number;
  rejections: number;
  listings: number;
}

export function reputationDeductions(traffic: ServerTraffic, maxListings = usualMostListings): ReputationDeductions {
  const { delivered, rejected, spamReports, listings } = traffic;
  return {
    spam: ratio(spamReports, delivered) * spamWeight,
    rejections: ratio(rejected, delivered) * rejectionWeight,
    listings: Math.min(maxListings, Math.max(0, listings)) * listingWeight,
  };
}

/**
 * What follows from a server's score. With little traffic nothing does, since a handful of reports must not decide about
 * a newcomer.
 */
export function reputationStatus(
  score: number,
  traffic: Pick<ServerTraffic, "delivered" | "rejected">,
  rules: ReputationRules,
): FederationStatus {
  if (traffic.delivered + traffic.rejected < rules.minMessages) return "active";
  if (score < rules.autoBlockThreshold) return "blocked";
  return score < rules.limitedBelow ? "limited" : "active";
}

function ratio(part: number, whole: number): number {
  return Math.max(0, part) / Math.max(1, whole);
}
