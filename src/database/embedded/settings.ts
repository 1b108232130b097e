/**
 * Settings of the embedded PostgreSQL, for a small machine that it shares with the relay. Operators put their values
 * into `operator.conf` in the data folder, which is read last. PostgreSQL 15 and later know every name.
 */
const serverSettings: Readonly<Record<string, string>> = {
  // Reachable only from this machine, over TCP, with a password.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  max_connections: "100",

  // An accepted message is on disk.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",

  // Memory.
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",
  wal_buffers: "4MB",

  // Few, even checkpoints, because the queues write and delete all the time.
  max_wal_size: "2GB",
  min_wal_size: "256MB",
  wal_compression: "on",
  checkpoint_timeout: "15min",
  checkpoint_completion_target: "0.9",

  // Statements are short lookups by key: no parallel workers, no JIT, an eager autovacuum. It subscribes to no other server.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  random_page_cost: "1.1",
  autovacuum_naptime: "20s",
  autovacuum_vacuum_scale_factor: "0.05",
  autovacuum_vacuum_insert_scale_factor: "0.2",
  autovacuum_vacuum_cost_limit: "2000",

  // The log contains events of the server and never statements, parameters or values: errors go to the relay that
  // caused them and are not logged here (`log` ranks above `error`), and details are omitted.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_min_duration_statement: "-1",
  log_min_duration_sample: "-1",
  log_autovacuum_min_duration: "-1",
  log_transaction_sample_rate: "0",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_connections: "off",
  log_disconnections: "off",
  log_checkpoints: "off",
  log_lock_waits: "off",
  log_temp_files: "-1",

  // The same names, times and texts everywhere.
  cluster_name: "mls-relay",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  default_text_search_config: "pg_catalog.simple",
};

/** Settings that older servers refuse, by the first major version that knows them. */
const newerSettings: readonly { since: number; settings: Readonly<Record<string, string>> }[] = [
  // Lookups by key read one page at a time; processes that read ahead would only take memory.
  { since: 18, settings: { io_method: "sync" } },
];

/** The text of `postgresql.conf`: the settings above with `overrides`, then the operator's file. */
export function settingsFile(major: number, overrides: Readonly<Record<string, string>> = {}): string {
  const newer = newerSettings.filter(({ since }) => major >= since).map(({ settings }) => settings);
  const lines = Object.entries(Object.assign({}, serverSettings, ...newer, overrides) as typeof serverSettings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
  );
  return [
    "# Written by the relay at every start. Put your own values into operator.conf beside this file.",
    ...lines,
    "include_if_exists 'operator.conf'",
    "",
  ].join("\n");
}
