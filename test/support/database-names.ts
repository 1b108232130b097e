/** The migrated database that every test database is a copy of. */
export const templateName = "mls_relay_template";

/** The same server's database of that name. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
