import { Command, InvalidArgumentError } from "commander";
import {
  countRows,
  countWorkers,
  type DistributionStep,
  distributeTable,
  planDistribution,
  readCitusVersion,
  readUsualShards,
} from "../database/citus/distribute.js";
import type { Database } from "../database/db.js";
import { moveKeysOutOfPartitions } from "../messages/service.js";
import { ConfigError } from "../platform/config/variables.js";
import { print } from "../platform/print.js";
import { type CliContext, refuseWhileNodesRun, withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show, table } from "./output.js";

/** The limit of Citus. */
const maxShards = 64_000;

/** The tables would be spread over the coordinator alone. */
const noWorkers =
  "no worker is registered with this coordinator: run `select citus_add_node('10.0.0.2', 5432)` there for each of them " +
  "(step 2 of docs/how-to/distributed.md)";

interface DistributeOptions extends ShowOptions {
  dryRun?: boolean;
  shards?: number;
}

export function distributeCommand(): Command {
  return new Command("distribute")
    .description("spread a Citus database over its workers")
    .option("--dry-run", "show the tables without distributing them")
    .option("--shards <number>", "shards of each table; two for each worker unless given", parseShards)
    .option(...jsonOption)
    .action((options: DistributeOptions) => withCliContext((context) => distribute(context, options)));
}

async function distribute(context: CliContext, options: DistributeOptions): Promise<void> {
  const { db } = context;
  const version = await readCitusVersion(db);
  if (version === undefined) {
    throw new ConfigError(["the database has no Citus: run `create extension citus` in it, and add the workers"]);
  }
  if ((await countWorkers(db)) === 0) throw new ConfigError([noWorkers]);
  const steps = await planDistribution(db);
  const shards = options.shards ?? (await readUsualShards(db));
  if (options.dryRun) {
    const tables = await counted(db, steps);
    show({ citus: version, shards, tables: tables.map(view) }, options, () => [
      ...describe(tables),
      `Each table is split into ${shards} shards.`,
    ]);
    return;
  }
  await refuseWhileNodesRun(context, "its tables are moved");
  if (!steps.some(({ isDone }) => isDone)) await moveKeysOutOfPartitions(db);
  const open = steps.filter(({ isDone }) => !isDone);
  for (const [index, step] of open.entries()) {
    if (!options.json) print(`${index + 1}/${open.length} ${step.table}, ${await countRows(db, step)} rows`);
    await distributeTable(db, step, shards);
  }
  const after = await counted(db, await planDistribution(db));
  show({ citus: version, tables: after.map(view) }, options, () => [
    open.length === 0 ? "All tables are distributed." : "Done.",
  ]);
}

function parseShards(text: string): number {
  const shards = Number(text);
  if (Number.isInteger(shards) && shards >= 1 && shards <= maxShards) return shards;
  throw new InvalidArgumentError(`a whole number from 1 to ${maxShards}`);
}

interface CountedStep extends DistributionStep {
  rows: number;
}

async function counted(db: Database, steps: readonly DistributionStep[]): Promise<CountedStep[]> {
  const found: CountedStep[] = [];
  for (const step of steps) found.push({ ...step, rows: await countRows(db, step) });
  return found;
}

function view({ table: name, column, colocatedWith, rows, isDone }: CountedStep) {
  return { table: name, column, colocated_with: colocatedWith, rows, distributed: isDone };
}

function describe(steps: readonly CountedStep[]): string[] {
  return table([
    ["TABLE", "BY", "IN THE SHARDS OF", "ROWS", "STATE"],
    ...steps.map((step) => [
      step.table,
      step.column,
      step.colocatedWith ?? "-",
      String(step.rows),
      step.isDone ? "distributed" : "local",
    ]),
  ]);
}
