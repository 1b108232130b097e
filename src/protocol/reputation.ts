// The reputation of a federated server, from the traffic it sent here in the last seven days.

/** Incoming traffic of a server. `spamReporters` counts distinct reporters, `listings` the peers whose list names it. */
export interface ServerTraffic {
  delivered: number;
  rejected: number;
  spamReporters: number;
  listings: number;
}

export type FederationStatus = "active" | "limited" | "blocked";

const spamWeight = 0.5;
const rejectionWeight = 0.3;
const listingWeight = 0.05;
const maxListings = 5;
const goodScore = 0.7;
const minMessages = 100;

/**
 * 1 - spam ratio × 0.5 - rejection ratio × 0.3 - listings × 0.05, within 0 to 1; higher is better. Ratios are taken of the
 * delivered messages (at least 1) and capped at 1; at most 5 listings count.
 */
export function reputationScore({ delivered, rejected, spamReporters, listings }: ServerTraffic): number {
  const spam = ratio(spamReporters, delivered) * spamWeight;
  const rejection = ratio(rejected, delivered) * rejectionWeight;
  const penalty = Math.min(maxListings, Math.max(0, listings)) * listingWeight;
  return Math.min(1, Math.max(0, 1 - spam - rejection - penalty));
}

/**
 * What follows from a server's traffic: blocked below the automatic threshold, limited below 0.7. Under 100 messages
 * (delivered or rejected) nothing follows, since a handful of reports must not decide about a newcomer.
 */
export function reputationStatus(traffic: ServerTraffic, autoBlockThreshold: number): FederationStatus {
  if (traffic.delivered + traffic.rejected < minMessages) return "active";
  const score = reputationScore(traffic);
  if (score < autoBlockThreshold) return "blocked";
  return score < goodScore ? "limited" : "active";
}

function ratio(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part) / Math.max(1, whole));
}
