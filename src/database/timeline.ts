/**
 * A scalar that names the course of the database's history; null in recovery, where a server has none of its own. It changes with each
 * promotion of a standby and each restore to a point in time. Some databases that only speak PostgreSQL's protocol refuse it.
 */
export const timelineSql = `case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end`;
