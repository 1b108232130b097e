import { reasons } from "../../generated/reasons.js";
import { keyedHash } from "../auth/keyed-hash.js";
import type { Secrets } from "../auth/secrets.js";
import { encodeHex } from "../protocol/encodings.js";
import type { TrustTier } from "../protocol/trust-tier.js";

/** Why a message is reported. */
export type Reason = (typeof reasons)[number];

function isReason(text: string): text is Reason {
  return (reasons as readonly string[]).includes(text);
}

/** An unknown reason is recorded as `other`, before the details. */
export function readReason(written: string, details = ""): { reason: Reason; details: string | null } {
  const reason = written.trim().toLowerCase();
  if (isReason(reason)) return { reason, details: details === "" ? null : details };
  return { reason: "other", details: details === "" ? written : `${written}\n${details}` };
}

/**
 * `verified` counts against the device, `federated` against the server that the message came from, `unverified` against
 * nobody. `pardoned` counted until the device was unblocked.
 */
export type ReportStatus = "verified" | "unverified" | "federated" | "pardoned";

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

const secretName = "spam-reports";

/** Keyed hashes of reporters and messages, so that the table of reports reveals neither. */
export function createReportHashes(deps: { secrets: Pick<Secrets, "get"> }) {
  let secret: Uint8Array = new Uint8Array(0);
  return {
    /** Loads the key of the hashes, so that no transaction waits for a second connection to read it. */
    async prepare(): Promise<void> {
      secret = await deps.secrets.get(secretName);
    },
    reporter: (reporterId: string) => keyedHash(secret, "reporter", reporterId),
    /** The reporter as another relay knows it: reports to different relays cannot be connected. */
    pseudonym: (reporterId: string, host: string) => encodeHex(keyedHash(secret, "pseudonym", reporterId, host)),
    /** The relays of a registrable domain. */
    peer: (registrable: string) => keyedHash(secret, "peer", registrable),
    /** Identifies a report by its reporter, the reported device and the message. */
    report: ({ reporterId, reported, messageId }: { reporterId: string; reported: string; messageId: string }) =>
      keyedHash(secret, "report", reporterId, reported, messageId),
  };
}
