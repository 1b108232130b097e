/**
 * A scalar that names the course of the database's history; null in recovery, where a server follows another one's history. It changes with each
 * promotion of a standby and each restore to a point in time. Some databases that only speak PostgreSQL's protocol refuse it.
 */
export const timelineSql = `case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end`;

/**
 * Tells listeners that the database has failed over to another server, or was restored: it may lack its last changes, and have others by the same
 * names, so streams are closed and what is in memory of it is read again.
 */
export function createFailoverWatch(logger: { warn(details: object, text: string): void }) {
  const listeners: (() => void)[] = [];
  let timeline: string | null = null;
  return {
    onFailover: (listener: () => void): void => void listeners.push(listener),
    /** Takes what `timelineSql` says now. */
    note(now: string | null): void {
      const before = timeline;
      timeline = now ?? before;
      if (now === null || before === null || now === before) return;
      logger.warn({ before, now }, "the database has failed over: what is in memory of it is read again");
      for (const listener of listeners) listener();
    },
  };
}
