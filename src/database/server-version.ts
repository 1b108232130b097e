import type { Reader } from "./db.js";

export const oldestPostgres = 15;
export const newestPostgres = 18;

/** The newest minor release of each version when this relay was released. Most of them fix weaknesses. */
const newestMinors: Readonly<Record<number, number>> = { 15: 20, 16: 16, 17: 12, 18: 6 };

/** The major version in `server_version_num`, such as 15 in 150018. */
export function majorOf(serverVersion: number | string): number {
  return Math.floor(Number(serverVersion) / 10_000);
}

/** The version of a server and a newer minor release of it that is known; null if none is. */
export function newerMinorOf(serverVersion: number | string): { version: string; newest: string } | null {
  const [major, minor] = [majorOf(serverVersion), Number(serverVersion) % 10_000];
  const newest = newestMinors[major] ?? minor;
  return minor < newest ? { version: `${major}.${minor}`, newest: `${major}.${newest}` } : null;
}

/**
 * The version of a database's collation when its indexes were made, and that of the system now. They differ after an update of the
 * system's C library or ICU, which may have changed the order of texts. Null if they are the same, or the collation has no version.
 */
export async function readChangedCollation(db: Reader): Promise<{ recorded: string; actual: string } | null> {
  const found = await db.one<{ recorded: string; actual: string }>(
    `select datcollversion as recorded, coalesce(pg_database_collation_actual_version(oid), 'none') as actual
     from pg_database
     where datname = current_database()
       and datcollversion is distinct from pg_database_collation_actual_version(oid)
       and datcollversion is not null`,
  );
  return found ?? null;
}

/** Throws if this version of PostgreSQL gets no security updates any more, and the relay is not tested with it. */
export async function refuseOldPostgres(db: Reader): Promise<void> {
  const found = await db.one<{ number: string }>("select current_setting('server_version_num') as number");
  const major = majorOf(found?.number ?? 0);
  if (major >= oldestPostgres) return;
  throw new Error(
    `the database is PostgreSQL ${major}, which is no longer supported: use PostgreSQL ${oldestPostgres} to ${newestPostgres} ` +
      "(docs/how-to/postgresql.md)",
  );
}
