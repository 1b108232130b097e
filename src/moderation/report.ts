import type { TrustTier } from "../protocol/trust-tier.js";

/** Why a message is reported. */
export type Reason = "spam" | "harassment" | "impersonation" | "malware" | "illegal_content" | "other";

/**
 * What a report is worth: `verified` counts against the device, `federated` against the server that the message came
 * from, `unverified` against nobody, and `pardoned` did count until the device was unblocked.
 */
export type ReportStatus = "verified" | "unverified" | "federated" | "pardoned";

/** A report as it is kept. Times are Unix seconds; the two hashes are keyed. */
export interface StoredReport {
  /** The device that is reported. */
  reported: string;
  /** Stands for reporter, reported device and message. */
  key: Uint8Array;
  reportId: string;
  reporter: Uint8Array;
  /** The reporter's tier when it reported. */
  tier: TrustTier;
  status: ReportStatus;
  reason: Reason;
  details: string | null;
  reportedAt: number;
}
