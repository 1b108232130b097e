/** A table whose rows lie in shards, on several machines where the database is distributed (spec/decisions/0040). */
export interface DistributedTable {
  /** The column whose value decides the shard. Primary and unique keys contain it. */
  column: string;
  /** Tables of one group with equal values in their columns lie in the same shard, so statements may join them. */
  group: "device" | "address" | "key";
}

/** The tables that grow with the number of devices and messages. All others stay on one machine. */
export const distributedTables: Readonly<Record<string, DistributedTable>> = {
  devices: { column: "device_id", group: "device" },
  device_federation: { column: "device_id", group: "device" },
  key_package_accounts: { column: "device_id", group: "device" },
  key_packages: { column: "device_id", group: "device" },
  messages: { column: "device_id", group: "device" },
  queues: { column: "device_id", group: "device" },
  recent_federation_sends: { column: "device_id", group: "device" },
  sending_windows: { column: "device_id", group: "device" },
  sent_totals: { column: "device_id", group: "device" },
  addresses: { column: "prefix", group: "address" },
  message_keys_with_expiry: { column: "key", group: "key" },
};

/**
 * The setting that bounds the connections of a session to each machine. More of them would work on several shards at once,
 * but opening them, and preparing the commit on each, costs a flush several times what it gains. PostgreSQL itself takes
 * any setting with such a prefix, and ignores it.
 */
export const onOneConnectionEach = "citus.max_adaptive_executor_pool_size";
