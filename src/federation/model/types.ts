import type { reasons, severities } from "../../../generated/reasons.js";
import type { Operator } from "../../audit/service.js";
import type { Db, Transaction } from "../../database/db.js";
import type { FederationStatus, ReputationDeductions } from "../../protocol/reputation-score.js";

// What the rest of the relay knows about federation. Times are Unix seconds.

/** Why a server is blocked, as the published block list states it. */
export type ReasonCategory = (typeof reasons)[number];

export type Severity = (typeof severities)[number];

/** A blocked server. `expiresAt` is null for a permanent block, `blockedBy` is null for a block by the relay. */
export interface Block {
  /** A host name without a port. The block also covers the names below it. */
  domain: string;
  blockedAt: number;
  reason: string;
  blockedBy: string | null;
  expiresAt: number | null;
  category: ReasonCategory;
  severity: Severity;
}

export interface BlockRequest {
  domain: string;
  reason: string;
  expiresAt?: number | null | undefined;
  category?: ReasonCategory | undefined;
  severity?: Severity | undefined;
}

/** A peer's record (specification, "Server reputation"). Members about calls are null if the peer was never called. */
export interface Reputation {
  domain: string;
  score: number;
  /** What was deducted from a score of 1. */
  deductions: ReputationDeductions;
  delivered: number;
  rejected: number;
  spamReports: number;
  uptimePercentage: number | null;
  averageResponseMillis: number | null;
  certificateValid: boolean | null;
  status: FederationStatus;
  listings: number;
  firstContact: number;
  lastActivity: number;
}

/** The block list of a peer, as it was last fetched. */
export interface PeerList {
  /** The host that publishes it. */
  publisher: string;
  fetchedAt: number;
}

export interface FederationPolicy {
  allowlistMode: boolean;
  allowlist: string[];
  autoBlockThreshold: number;
  requireCertificateValidation: boolean;
  publishBlocklist: boolean;
}

/** Records an operation in its transaction. */
export type Note<T> = (trx: Transaction, done: T) => Promise<void>;

/** A destination of the outbox as operators see it. */
export interface Backlog {
  domain: string;
  messages: number;
  bytes: number;
  /** When the oldest waiting message was accepted; null if none is waiting. */
  oldestAt: number | null;
  /** When the destination last answered a delivery; null if it never did. */
  reachedAt: number | null;
  /** Failed attempts since the last success. */
  failures: number;
  /** Null if nothing is due. */
  nextAttemptAt: number | null;
  /** When and why the last attempt failed; null since the last success. */
  failedAt: number | null;
  problem: string | null;
  /** Whether a node is currently delivering to it. */
  sending: boolean;
}

/** A relay whose request is admitted. The relays of a registrable domain share limits, each divided by `divisor`. */
export interface AdmittedOrigin {
  registrable: string;
  divisor: number;
}

/** What is asked about a commit slot of a peer, as it is sent. With the slot alone, it is read. */
export interface SlotQuestion {
  /** In hex, the keys and the signature too. */
  slot: string;
  /** In base64. */
  content?: string;
  slot_key?: string;
  public_key?: string;
  signature?: string;
  path?: readonly string[];
}

/** A claim of key packages of a peer, as it is sent. */
export interface KeyPackageQuestion {
  /** In lower-case hex. */
  claim_id: string;
  addresses: readonly string[];
}

/** A report about a device of another relay, for that relay. */
export interface ForwardedReport {
  /** A keyed hash of the reporter, in hex. */
  reporter: string;
  messageId: string;
  /** The reported device, in either spelling. */
  sender: string;
  /** The prefix of the address to which the message was sent. */
  prefix: string;
  /** As it came with the message. */
  handle: Uint8Array | undefined;
  reason: string;
}

/** The answer of a peer with any status; `body` is the parsed JSON, if it is JSON. */
export interface PeerResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** What operators can see and do about messages that are waiting for other servers. */
export interface OutboxOperations {
  /** Destinations with waiting messages, at most `limit`, those with the most messages first. */
  backlogs(db: Db, limit: number): Promise<Backlog[]>;
  /** Makes a destination due now. Throws NOT_FOUND if no messages are waiting for it. */
  retry(domain: string, by: Operator): Promise<void>;
  /** Drops the messages for a destination and resolves to their number. Throws NOT_FOUND as above. */
  purge(domain: string, by: Operator): Promise<number>;
}
