import type { TrustTier } from "../protocol/trust-tier.js";
import type { Reason } from "./reasons.js";

/**
 * `verified` counts against the device, `federated` against the server that the message came from, `unverified` against
 * nobody. `pardoned` counted until the device was unblocked.
 */
type ReportStatus = "verified" | "unverified" | "federated" | "pardoned";

/** A report as it is stored. Times are Unix seconds. `key` and `reporter` are keyed hashes. */
export interface StoredReport {
  /** The reported device. */
  reported: string;
  /** Identifies reporter, reported device and message. */
  key: Uint8Array;
  reportId: string;
  reporter: Uint8Array;
  /** The reporter's tier when it reported. */
  tier: TrustTier;
  status: ReportStatus;
  reason: Reason;
  details: string | null;
  reportedAt: number;
  /** A keyed hash of the relay that passed the report on; null for reports of devices of this server. */
  peer: Uint8Array | null;
}

/** The outcome of a report, for the metrics. */
export interface Recorded {
  report: Pick<StoredReport, "reportId" | "reportedAt">;
  status: ReportStatus | "repeated";
  barred: boolean;
}
