import type { Placement } from "../placement.js";

/**
 * Bounds the connections of a session to each machine. More connections would work on several shards at once, but
 * opening them, and preparing the commit on each, costs a flush several times as much as it gains.
 */
const connectionsToEach = "citus.max_adaptive_executor_pool_size";

/** Additions to the relay's statements that only Citus needs. */
export const citusStatements = {
  // A kept plan cannot choose shards by the values of an array.
  sessionSettings: `set plan_cache_mode = force_custom_plan; set ${connectionsToEach} = 1`,
  transactionSettings: `, set_config('${connectionsToEach}', '1', true)`,
  // Otherwise the coordinator would hold the connections of a transaction open.
  joinsStatements: false,
  // Each shard is a table on its machine, named after the table with the shard's number appended.
  tableStatistics: `
    select regexp_replace(t.relname, '_[0-9]{6,}$', '') as name, t.n_dead_tup as dead, t.n_live_tup as live
    from run_command_on_all_nodes(
      'select coalesce(json_agg(t), ''[]'') from (select relname, n_dead_tup, n_live_tup from pg_stat_user_tables) as t'
    ) as machine,
    jsonb_to_recordset(case when machine.success then machine.result::jsonb else '[]' end)
      as t (relname text, n_dead_tup bigint, n_live_tup bigint)`,
  onlyShardsOf: (column, values) => `and ${column} = any(${values})`,
} satisfies Partial<Placement>;
