import type { Domain } from "../protocol/address.js";

/**
 * What holds for a server at this moment: its federation status, or `unlisted` where the allowlist is in force and it is
 * not on it. Blocks and allowlist go by the host without its port, and a block covers subdomains.
 */
export type Standing = "active" | "limited" | "blocked" | "unlisted";

/** Asked at every message and delivery; answered from a copy of at most a second. */
export interface Standings {
  of(domain: Domain): Standing;
  /** Whether messages may be exchanged with it. */
  admits(domain: Domain): boolean;
}
