/** Why a server is blocked, as the published list says it. */
export type ReasonCategory = "spam" | "harassment" | "impersonation" | "malware" | "illegal_content" | "other";

export type Severity = "low" | "medium" | "high" | "critical";

/** A server that is blocked. Times are Unix seconds; `expiresAt` null is for good, `blockedBy` null the relay itself. */
export interface Block {
  /** A host name without port. What is below it is blocked as well. */
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
