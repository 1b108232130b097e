import { keyedHash } from "../platform/auth/keyed-hash.js";
import type { Secrets } from "../platform/auth/secrets.js";
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

/** What stands for reporters and messages in the table of reports: whoever reads it learns neither. */
export interface ReportHashes {
  /** Reads the hashes' key, so that no transaction has to wait for another connection to read it. */
  prepare(): Promise<void>;
  reporter(reporterId: string): Uint8Array;
  /** One message, known by sender and id, as one reporter reports it. */
  report(report: { reporterId: string; reported: string; messageId: string }): Uint8Array;
}

const secretName = "spam-reports";

export function createReportHashes(deps: { secrets: Pick<Secrets, "get"> }): ReportHashes {
  let secret: Uint8Array = new Uint8Array(0);
  return {
    async prepare() {
      secret = await deps.secrets.get(secretName);
    },
    reporter: (reporterId) => keyedHash(secret, "reporter", reporterId),
    report: ({ reporterId, reported, messageId }) => keyedHash(secret, "report", reporterId, reported, messageId),
  };
}
