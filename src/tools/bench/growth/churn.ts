import type pg from "pg";
import type { BenchEnvironment } from "../context.js";
import { runLoad } from "../load.js";
import { loadsOf } from "../measure.js";
import { type Cost, close, costOf, measureDrain, prepare, small } from "./measure.js";

export interface ChurnProfile {
  /** Messages that are sent and acknowledged in a run without a pause. */
  messages: number;
  warmUpSeconds: number;
  /** How long is sent, and measured, before the queues are emptied. */
  seconds: number;
}

export const quickProfile: ChurnProfile = { messages: 300_000, warmUpSeconds: 1, seconds: 5 };
export const fullProfile: ChurnProfile = { messages: 10_000_000, warmUpSeconds: 1, seconds: 10 };

/** Where a run of messages that are sent and acknowledged has come to. */
export interface ChurnSample {
  /** Messages that were sent and acknowledged so far. */
  messages: number;
  /** Of the stretch since the sample before. */
  batch: Cost;
  drain: Cost;
  tables: Record<ChurnedTable, TableState>;
}

export interface TableState {
  /** Bytes, what is stored outside of the rows included. */
  table: number;
  indexes: number;
  deadRows: number;
  vacuums: number;
}

export const churnedTables = ["messages", "mailboxes", "message_keys"] as const;
export type ChurnedTable = (typeof churnedTables)[number];

/** A connection reports what it did up to a second later. */
const settleSql = "select pg_sleep(1.2)";

/** Sends and empties the queues in turn until so many messages have come and gone. */
export async function measureChurn(
  environment: BenchEnvironment,
  profile: ChurnProfile,
  say: (line: string) => void,
): Promise<ChurnSample[]> {
  const context = await prepare(environment, "churn", { level: small, say });
  const { node, client, ...sides } = context;
  const { batch: load } = loadsOf({ target: node, ...sides }, profile);
  const samples: ChurnSample[] = [];
  for (let messages = 0; messages < profile.messages; ) {
    const batch = await runLoad(load);
    const drain = await measureDrain(node, sides.recipients, 20 * profile.seconds);
    messages += drain.messages;
    samples.push({ messages, batch: costOf(batch), drain: drain.cost, tables: await readTables(client) });
    say(`${messages} messages sent and acknowledged`);
  }
  await close(context);
  return samples;
}

async function readTables(client: pg.Client): Promise<ChurnSample["tables"]> {
  await client.query(settleSql);
  const { rows } = await client.query<TableState & { name: ChurnedTable }>(
    `select coalesce(i.inhparent::regclass::text, s.relname) as name,
            sum(pg_table_size(s.relid))::float8 as table, sum(pg_indexes_size(s.relid))::float8 as indexes,
            sum(s.n_dead_tup)::float8 as "deadRows", sum(s.autovacuum_count + s.vacuum_count)::float8 as vacuums
     from pg_stat_user_tables as s left join pg_inherits as i on i.inhrelid = s.relid
     where coalesce(i.inhparent::regclass::text, s.relname) = any($1)
     group by 1`,
    [churnedTables],
  );
  return Object.fromEntries(rows.map(({ name, ...state }) => [name, state])) as ChurnSample["tables"];
}
