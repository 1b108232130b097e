import { dayOfKey, type MessageKey } from "./message-key.js";

/** What decides which tables hold the keys of messages. */
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
  /** Keys for the partitions by day. */
  byDay: MessageKey[];
  /** Keys for the table in which each key has an expiry. */
  withExpiry: MessageKey[];
}

/**
 * The tables in which these keys are stored, looked up and removed.
 *
 * The partition of a day is dropped a retention period after the day. This is long enough for a message that is
 * accepted on the day of its id or the day before; only the keys of such messages are in a partition alone. The key of
 * a message with an earlier id also gets an expiry: it is recognised for the whole period without keeping a partition
 * from being dropped. A key whose day comes only after the retention period has just an expiry, and is looked up by it
 * until shortly before its day; so are the keys of all days in between.
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
