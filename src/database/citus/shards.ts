import type { Database } from "../db.js";
import type { PlacementGroup, PlacementKey } from "../placement.js";
import { postgresHash } from "../postgres-hash.js";
import { distributedTables } from "./tables.js";

/** A range of hashes, both ends included, and the machine that holds its rows. */
interface Shard {
  first: number;
  last: number;
  machine: string;
}

/** The shards of each group of tables; empty if nothing is distributed. */
export type ShardMap = ReadonlyMap<PlacementGroup, readonly Shard[]>;

export function machineOf(map: ShardMap, group: PlacementGroup, key: PlacementKey): string | undefined {
  const hash = postgresHash(typeof key === "string" ? Buffer.from(key) : key);
  return map.get(group)?.find(({ first, last }) => hash >= first && hash <= last)?.machine;
}

const maxTries = 100_000;

/** A device id whose row would be on that machine. */
export function deviceIdOn(map: ShardMap, machine: string): string | undefined {
  if (!map.get("device")?.some((shard) => shard.machine === machine)) return undefined;
  for (let i = 0; i < maxTries; i++) if (machineOf(map, "device", `probe ${i}`) === machine) return `probe ${i}`;
  return undefined;
}

/** By a connection to the coordinator. */
export async function readShards(db: Database): Promise<ShardMap> {
  const citus = await db.one("select 1 from pg_extension where extname = 'citus'");
  if (citus === undefined) return new Map();
  const firsts = new Map<PlacementGroup, string>();
  for (const [table, { group }] of Object.entries(distributedTables)) if (!firsts.has(group)) firsts.set(group, table);
  const found = await db.rows<Shard & { name: string }>(
    `select s.logicalrelid::text as name, s.shardminvalue::integer as first, s.shardmaxvalue::integer as last,
            n.nodename || ':' || n.nodeport as machine
     from pg_dist_shard as s
     join pg_dist_placement as p on p.shardid = s.shardid
     join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
     where s.logicalrelid::text = any(:tables::text[]) and s.shardminvalue is not null`,
    { tables: [...firsts.values()] },
  );
  const map = new Map<PlacementGroup, Shard[]>();
  for (const [group, table] of firsts) {
    const shards = found.filter(({ name }) => name === table);
    if (shards.length > 0) map.set(group, shards);
  }
  return map;
}
