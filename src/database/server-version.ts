import type { Reader } from "./db.js";

export const oldestPostgres = 15;
export const newestPostgres = 18;

/** The major version in `server_version_num`, such as 15 in 150018. */
export function majorOf(serverVersion: number | string): number {
  return Math.floor(Number(serverVersion) / 10_000);
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
