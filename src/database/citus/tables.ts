import type { PlacementGroup } from "../placement.js";

/** A table whose rows Citus spreads over shards, on several machines (spec/decisions/0040). */
export interface DistributedTable {
  /** The column whose value decides the shard. Primary and unique keys contain it. */
  column: string;
  /** Rows with equal values in tables of one group are in the same shard, so statements may join them. */
  group: PlacementGroup;
}

/** The tables that grow with the number of devices, messages and groups. All others stay on one machine. */
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
  slots: { column: "slot", group: "slot" },
};
