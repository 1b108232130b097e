/**
 * How the names of test database folders begin: this text, then the process number of the run. It identifies what a
 * killed run leaves behind.
 */
export const testFolderPrefix = "mls-relay-test-";

/** The migrated database that every test database is a copy of. */
export const templateName = "mls_relay_template";

/** A database with that name on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
