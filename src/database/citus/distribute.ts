import type { Database } from "../db.js";
import { inMigrationLock } from "../migrations/migrate.js";
import { distributedTables } from "./tables.js";

/** A table to distribute, or one that is already distributed. */
export interface DistributionStep {
  table: string;
  column: string;
  /** The first table of its group, in whose shards its rows are; null for that table itself. */
  colocatedWith: string | null;
  isDone: boolean;
}

/** Shards per worker. A flush pays for each shard that it touches; only whole shards can move to another worker. */
const shardsPerWorker = 2;

/** The number of shards that a table is split into, unless the operator names one. */
export async function readUsualShards(db: Database): Promise<number> {
  const row = await db.one<{ workers: number }>(
    "select count(*)::integer as workers from pg_dist_node where shouldhaveshards and noderole = 'primary'",
  );
  return Math.max(1, row?.workers ?? 0) * shardsPerWorker;
}

/** The number of workers that are registered with this coordinator. */
export async function countWorkers(db: Database): Promise<number> {
  const row = await db.one<{ workers: number }>(
    "select count(*)::integer as workers from pg_dist_node where groupid <> 0 and noderole = 'primary'",
  );
  return row?.workers ?? 0;
}

/** The version of Citus in this database; undefined if it is not installed. */
export async function readCitusVersion(db: Database): Promise<string | undefined> {
  const found = await db.one<{ extversion: string }>("select extversion from pg_extension where extname = 'citus'");
  return found?.extversion;
}

/** The tables to distribute, in order. The database must have Citus. */
export async function planDistribution(db: Database): Promise<DistributionStep[]> {
  const names = Object.keys(distributedTables);
  const found = await db.rows<{ name: string; done: boolean }>(
    `select c.relname as name,
            exists (select from pg_dist_partition as p where p.logicalrelid = c.oid and p.partmethod = 'h') as done
     from pg_class as c
     where c.oid = any(:names::regclass[])`,
    { names },
  );
  const done = new Map(found.map((row) => [row.name, row.done]));
  return Object.entries(distributedTables).map(([table, { column, group }]) => {
    const first = names.find((name) => distributedTables[name]?.group === group);
    return {
      table,
      column,
      colocatedWith: first === table ? null : (first ?? null),
      isDone: done.get(table) ?? false,
    };
  });
}

/**
 * Counted, because a table that was never analyzed has no estimate. Counting takes a small part of the time of
 * distributing.
 */
export async function countRows(db: Database, { table }: DistributionStep): Promise<number> {
  const found = await db.one<{ count: number }>(`select count(*) from ${table}`);
  return found?.count ?? 0;
}

/** Distributes one table; its rows move to the workers. Nothing may write to it meanwhile. */
export async function distributeTable(db: Database, step: DistributionStep, shards: number): Promise<void> {
  const { table, column, colocatedWith } = step;
  await inMigrationLock(db, async (trx) => {
    await (colocatedWith === null
      ? trx.rows(
          `select create_distributed_table(:table::text::regclass, :column::text, colocate_with => 'none',
                                           shard_count => :shards::integer)`,
          { table, column, shards },
        )
      : trx.rows(
          `select create_distributed_table(:table::text::regclass, :column::text, colocate_with => :colocatedWith::text)`,
          { table, column, colocatedWith },
        ));
    // The rows stay in the coordinator's table, invisible, until they are removed.
    await trx.run("select truncate_local_data_after_distributing_table(:table::text::regclass)", {
      table,
    });
  });
}
