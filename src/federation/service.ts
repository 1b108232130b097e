import type { Forward } from "../mailbox/service.js";
import type { Db } from "../platform/database/connection.js";
import type { PublicJwk } from "../platform/ed25519-keys.js";
import type { FederationStatus } from "../protocol/reputation.js";

export type { PeerAnswer, PeerCalls, PeerDocument } from "./peer-calls.js";
export { PeerError } from "./peer-calls.js";
export type { Standing, Standings } from "./standing.js";

export type ReasonCategory = "spam" | "harassment" | "malware" | "illegal_content" | "abuse" | "other";
export type Severity = "low" | "medium" | "high" | "critical";

/** A server that is blocked. Times are Unix seconds; `expiresAt` null is for good, `blockedBy` null the relay itself. */
export interface Block {
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
  expiresAt?: number | null;
  category?: ReasonCategory;
  severity?: Severity;
}

/** What is known of a peer (specification, "Server reputation"). Null where it was never called. */
export interface Reputation {
  domain: string;
  score: number;
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

export interface FederationPolicy {
  allowlistMode: boolean;
  allowlist: string[];
  autoBlockThreshold: number;
  requireCertificateValidation: boolean;
  publishBlocklist: boolean;
}

/** The dealings with other relays: being called by them, judging them, and (`forward`) sending to them. */
export interface FederationService {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** For the mailbox: takes accepted messages for other servers into the outbox, in the caller's transaction. */
  forward: Forward;
  /** Blocks a server and what is below its name. Throws INVALID_ADDRESS. */
  block(db: Db, request: BlockRequest, by: string | null): Promise<Block>;
  /** Ends a block and restarts the server's counters. Throws NOT_FOUND. */
  unblock(db: Db, domain: string): Promise<{ domain: string; unblockedAt: number }>;
  /** Blocks in force, the latest first. */
  blocks(db: Db): Promise<Block[]>;
  /** Throws SERVER_UNREACHABLE for a server without a record, INVALID_ADDRESS for what is no domain. */
  reputation(db: Db, domain: string): Promise<Reputation>;
  policy(db: Db): Promise<FederationPolicy>;
  /** Replaces the given members. Throws INVALID_ADDRESS, INVALID_CONFIG. */
  setPolicy(patch: Partial<FederationPolicy>, by: string): Promise<FederationPolicy>;
  /** The peers that a federated message with this id came from to one of these prefixes, while retention lasts. */
  originsOf(db: Db, delivered: { messageId: string; prefixes: readonly string[] }): Promise<string[]>;
  /** Counts a spam report against an origin; a reporter counts once a day. */
  recordSpam(db: Db, report: { origin: string; reporter: string }): Promise<void>;
  /** The keys of a server on the allowlist, for invites; none for every other server. */
  allowlistedKeys(domain: string): Promise<readonly PublicJwk[]>;
}
