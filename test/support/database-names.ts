/**
 * How the folders of test databases begin: this, then the process number of the run. What a killed run leaves behind is
 * found by it.
 */
export const testFolderPrefix = "mls-relay-test-";

/** The migrated database that every test database is a copy of. */
export const templateName = "mls_relay_template";

/** The same server's database of that name. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
