import type { components } from "../../generated/openapi-types.js";
import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { insertEntry } from "./store.js";

export { type AuditLog, createAuditLog } from "./log.js";
export type { AuditQuestion } from "./store.js";

/** Every recorded action; the contract lists them. */
export type AuditAction = components["schemas"]["AuditAction"];

/** Who acts: an administrator and from where, or the system. */
export interface Operator {
  admin: string | null;
  ipAddress: string | null;
  userAgent: string | null;
}

/** The relay, or its operator on the command line: neither is an administrator or has a network address. */
export const bySystem: Operator = { admin: null, ipAddress: null, userAgent: null };

/** What the log stores about one action. */
export interface AuditEntry extends Operator {
  action: AuditAction;
  target: string | null;
  details: Readonly<Record<string, unknown>>;
}

export type AuditService = ReturnType<typeof createAuditService>;

const maxPerMillisecond = 0xffff;

export function createAuditService(deps: { clock: Clock; random: Random }) {
  const { clock, random } = deps;
  const nextPosition = createOrder();
  return {
    /** Writes one entry in the caller's transaction, so that either both the action and its entry are stored or neither is. Returns the entry's id. */
    async record(db: Db, entry: AuditEntry): Promise<string> {
      const id = sortableId(nextPosition(clock.nowMillis()), random.bytes(8));
      await insertEntry(db, { id, timestamp: clock.nowSeconds(), ...entry });
      return id;
    },
  };
}

interface Position {
  millis: number;
  /** Counts the entries of this millisecond. */
  count: number;
}

/** Keeps the order of entries of one millisecond: a later position is always greater than an earlier one. */
function createOrder(): (nowMillis: number) => Position {
  let last: Position = { millis: 0, count: 0 };
  return (nowMillis) => {
    const isLater = nowMillis > last.millis;
    if (isLater) last = { millis: nowMillis, count: 0 };
    else if (last.count < maxPerMillisecond) last = { ...last, count: last.count + 1 };
    else last = { millis: last.millis + 1, count: 0 };
    return last;
  };
}

/** `audit_` and 32 hex digits: 48 bits of milliseconds, a 16-bit counter within the millisecond, 64 random bits. */
function sortableId({ millis, count }: Position, random: Uint8Array): string {
  const digits = (value: number, length: number) => value.toString(16).padStart(length, "0");
  return `audit_${digits(millis, 12)}${digits(count, 4)}${Buffer.from(random).toString("hex")}`;
}
