import type { Clock } from "../platform/clock.js";
import type { Db } from "../platform/database/connection.js";
import type { Random } from "../platform/random.js";
import { insertEntry } from "./store.js";

export { type AuditLog, createAuditLog } from "./log.js";
export type { AuditQuestion } from "./log-store.js";

/** What is to be remembered of one act. `admin`, address and agent are null for the system's own. */
export interface AuditEntry {
  action: string;
  admin: string | null;
  target: string | null;
  details: Readonly<Record<string, unknown>>;
  ipAddress: string | null;
  userAgent: string | null;
}

export interface AuditService {
  /** Writes one entry in the caller's transaction, so that act and entry stand or fall together. Answers its id. */
  record(db: Db, entry: AuditEntry): Promise<string>;
}

export function createAuditService(needs: { clock: Clock; random: Random }): AuditService {
  const { clock, random } = needs;
  return {
    async record(db, entry) {
      const id = sortableId(clock.nowMillis(), random.bytes(10));
      await insertEntry(db, { id, timestamp: clock.nowSeconds(), ...entry });
      return id;
    },
  };
}

/** `audit_` and 32 hex digits: 48 bits of milliseconds, then randomness, so that ids sort by time. */
function sortableId(millis: number, random: Uint8Array): string {
  return `audit_${millis.toString(16).padStart(12, "0")}${Buffer.from(random).toString("hex")}`;
}
