import type { Reader } from "./db.js";

/** Whether a table exists in the schema in which the relay's tables are; others on the search path may belong to somebody else. */
export function hasTableSql(name: string): string {
  return `exists (select from pg_tables where schemaname = current_schema() and tablename = ${name})`;
}

interface Suitability {
  encoding: string;
  schema: string | null;
  path: string;
  account: string;
  database: string;
  creates: boolean | null;
}

/**
 * Throws if the relay cannot keep its data in this database, as a hosting company or another program has set it up. Whether the account
 * may create tables matters only if some are missing.
 */
export async function refuseUnsuitableDatabase(
  db: Reader,
  { createsTables }: { createsTables: boolean },
): Promise<void> {
  const found = await db.one<Suitability>(
    `select current_setting('server_encoding') as encoding, current_schema()::text as schema,
            current_setting('search_path') as path, current_user::text as account,
            current_database()::text as database,
            has_schema_privilege(current_schema(), 'CREATE') as creates`,
  );
  const problem = found && problemOf(found, createsTables);
  if (problem !== undefined) throw new Error(`${problem} (docs/how-to/postgresql.md)`);
}

function problemOf({ encoding, schema, path, account, database, creates }: Suitability, createsTables: boolean) {
  const [owner, name] = [quoted(account), quoted(database)];
  if (encoding !== "UTF8") {
    return (
      `the database ${database} has the encoding ${encoding}, and the relay needs UTF8: create another one with ` +
      `\`create database … encoding 'UTF8' template template0\`, and name it in DATABASE_URL`
    );
  }
  if (schema === null) {
    return (
      `no schema of the search path (${path}) exists in the database ${database}: run \`create schema authorization ${owner}\` ` +
      `there, or \`alter role ${owner} in database ${name} set search_path = …\``
    );
  }
  if (!createsTables || creates === true) return undefined;
  return (
    `the account ${account} may not create tables in the schema ${schema} of the database ${database}: let its owner run ` +
    `\`grant create on schema ${quoted(schema)} to ${owner}\`, or \`create schema authorization ${owner}\``
  );
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
