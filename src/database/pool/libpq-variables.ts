/**
 * Removes variables of libpq (PGSSLMODE, PGOPTIONS and others) from this process's environment. They are meant for another
 * server, but the driver would apply them to the embedded one as well.
 */
export function forgetLibpqVariables(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}
