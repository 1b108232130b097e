import { dayOfKey, type MessageKey } from "./message-key.js";

/** What decides in which tables the keys of messages lie. */
export interface KeyRules {
  /** Days since 1970. */
  today: number;
  /** For how many days a message is recognised. */
  retentionDays: number;
  /** Whether the placement of the database has partitions by day. */
  hasPartitions: boolean;
}

/** The keys of each table, in order. One key may be in both. */
interface KeysByTable {
  /** For the partitions by day. */
  byDay: MessageKey[];
  /** For the table in which each key has an expiry. */
  withExpiry: MessageKey[];
}

/**
 * In which tables these keys are stored, looked for and removed.
 *
 * The partition of a day is dropped a retention period after the day. That is long enough for a message that is accepted
 * on the day of its id, or the day before; only these lie there alone. One with an earlier id also gets an expiry: so it
 * is recognised for the whole period, and yet keeps no partition from being dropped. One whose day comes only after the
 * retention period has the expiry alone, and until shortly before its day it may be found by that; so may be those of all
 * days between.
 *
 * Without partitions every key has an expiry.
 */
export function tablesOf(keys: Iterable<MessageKey>, { today, retentionDays, hasPartitions }: KeyRules): KeysByTable {
  const tables: KeysByTable = { byDay: [], withExpiry: [] };
  for (const key of new Set(keys)) {
    const day = dayOfKey(key);
    if (hasPartitions && day <= today + retentionDays + 1) tables.byDay.push(key);
    if (!hasPartitions || day < today || day > today + 1) tables.withExpiry.push(key);
  }
  tables.byDay.sort();
  tables.withExpiry.sort();
  return tables;
}
