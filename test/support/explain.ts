import pg from "pg";
import { type Bindings, parseStatement, valuesOf } from "../../src/database/bindings.js";
import type { Database, Db } from "../../src/database/db.js";
import { isDistributed } from "./backends.js";
import type { TestDatabase } from "./database.js";
import { notingStatements } from "./noting-statements.js";

/** Number of rows in a table before plans are examined: a million with LONG=1. */
export const rowsForPlans = process.env["LONG"] === "1" ? 1_000_000 : 20_000;
/** How long filling may take. */
export const fillingMillis = process.env["LONG"] === "1" ? 600_000 : 180_000;

const byWholeTables: ReadonlySet<string> = new Set([
  "the totals of senders",
  "they are still read by their keys",
  "a step of what follows a restore",
]);

/**
 * Whether a test of plans, by its title, does not apply: these plans depend on the sizes of whole tables, and the
 * shards of a distributed table are so small that PostgreSQL rightly reads them completely.
 */
export function isOfOneMachine(title: string): boolean {
  return isDistributed && byWholeTables.has(title);
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
  /** On a distributed database the plans of the shards are nested inside. */
  "Distributed Query"?: unknown;
}

interface Statement {
  sql: string;
  values: unknown[];
}

/**
 * Runs store functions, undoes their changes, and asks the planner how it runs each of their statements. Returns the
 * statements that read a whole table, or a whole index without a limit; the list should be empty. Call it on tables
 * that `fillTables` has filled.
 */
export async function wholeScans(database: TestDatabase, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const statements = await record(database.db, work);
  if (statements.length === 0) throw new Error("there was no statement to explain");
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const found: string[] = [];
    for (const statement of statements) {
      const scans = scansOf(await explain(client, statement), false);
      found.push(...scans.map((scan) => `${scan}: ${statement.sql.trim().replaceAll(/\s+/g, " ").slice(0, 160)}`));
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Runs store functions and undoes their changes as above; returns the indexes that their statements use, sorted. */
export async function indexesUsed(database: TestDatabase, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const statements = await record(database.db, work);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const used = new Set<string>();
    for (const statement of statements) for (const name of indexesOf(await explain(client, statement))) used.add(name);
    return [...used].sort();
  } finally {
    await client.end();
  }
}

function indexesOf(plan: Plan): string[] {
  const below = innerPlans(plan).flatMap(indexesOf);
  const name = plan["Index Name"]?.replace(shardSuffix, "");
  return name === undefined ? below : [name, ...below];
}

/** Names in a shard end with the shard's number. */
const shardSuffix = /_\d{6,}$/;

function innerPlans(plan: Plan): Plan[] {
  return [...(plan.Plans ?? []), ...plansWithin(plan["Distributed Query"])];
}

function plansWithin(value: unknown): Plan[] {
  if (typeof value !== "object" || value === null) return [];
  return "Node Type" in value ? [value as Plan] : Object.values(value).flatMap(plansWithin);
}

/** Fills tables by statements, however long they take, and updates the planner's statistics. */
export async function fillTables(database: TestDatabase, statements: Readonly<Record<string, string>>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const [table, statement] of Object.entries(statements)) {
      await client.query(statement);
      await client.query(`vacuum (analyze) ${pg.escapeIdentifier(table)}`);
    }
    // A concurrent reader would keep this from marking the pages as all-visible, as autovacuum does later.
    for (const table of Object.keys(statements)) await client.query(`vacuum ${pg.escapeIdentifier(table)}`);
  } finally {
    await client.end();
  }
}

class Undo extends Error {}

async function record(db: Database, work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const note = (sql: string, bindings: Bindings) => {
    const statement = parseStatement(sql);
    statements.push({ sql: statement.text, values: valuesOf(statement, bindings) });
  };
  await db
    .transaction(async (transaction) => {
      await work(notingStatements(transaction, note));
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
  return statements;
}

/** The values are told, so the planner judges this case, as it does when the relay asks. */
async function explain(client: pg.Client, { sql, values }: Statement): Promise<Plan> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(`explain (format json) ${sql}`, values);
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) throw new Error(`there is no plan for ${sql}`);
  return plan;
}

function scansOf(plan: Plan, limited: boolean): string[] {
  const kind = plan["Node Type"];
  const below = innerPlans(plan).flatMap((inner) => scansOf(inner, limited || kind === "Limit"));
  if (kind === "Seq Scan") return [`the whole table ${plan["Relation Name"]}`, ...below];
  const isWhole = kind.includes("Index") && plan["Index Cond"] === undefined && !limited;
  return isWhole ? [`the whole index ${plan["Index Name"]}`, ...below] : below;
}
