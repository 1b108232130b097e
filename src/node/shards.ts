import { type Database, noteDistributed, rows } from "../database/connection.js";
import { type DistributedTable, distributedTables } from "../database/distribution.js";
import { postgresHash } from "../database/postgres-hash.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import { withinTime } from "../platform/concurrency/within-time.js";
import type { Logger } from "../platform/logger.js";

/** The value of a distribution column: a text, or the bytes of a UUID or bytea. */
type ShardKey = string | Uint8Array;

/** Which rows of a distributed database can be reached at the moment. */
export interface Shards {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether the database consists of several machines. */
  isDistributed(): boolean;
  /** Whether some machine cannot be used: it does not answer, or refuses connections. */
  someAreDown(): boolean;
  /** Whether the row with this key is on a machine that cannot be used. */
  isDown(group: DistributedTable["group"], key: ShardKey): boolean;
  /** Looks at every machine now, for a bounded time, as after a failed statement. Never throws. */
  check(): Promise<void>;
}

/** A range of hashes, both ends included, and the machine that holds its rows. */
interface Shard {
  first: number;
  last: number;
  machine: string;
}

const checkEveryMillis = 1_000;
/** An answer that takes longer is late. */
const answerMillis = 3_000;
/** This node may have been too busy to read an answer in time. A machine counts as down if this many answers in a row are late. */
const lateAnswers = 2;
/** Shards move when a machine is added. */
const readMapEveryMillis = 10_000;

/**
 * Asks for one row of each machine every second, by a statement that takes the same way as those of messages. While a
 * machine cannot be used, statements that need its rows are refused before they are sent; others go on. A database that
 * is not distributed is asked nothing.
 */
export function createShards(deps: {
  db: Database;
  logger: Logger;
  /** Asks for a row of the group of devices, by a separate connection. */
  probe(deviceId: string): Promise<unknown>;
}): Shards {
  const { db, probe, logger } = deps;
  let map: ReadonlyMap<string, readonly Shard[]> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let down: ReadonlySet<string> = new Set();
  const late = new Map<string, number>();

  const readMap = async (): Promise<void> => {
    if (performance.now() - readAt < readMapEveryMillis) return;
    map = await readShards(db);
    readAt = performance.now();
  };
  const lookAtAll = async (): Promise<void> => {
    await readMap();
    const machines = [...new Set([...map.values()].flat().map(({ machine }) => machine))];
    const found = await Promise.all(machines.map(async (one) => [one, await fault(one)] as const));
    const faults = new Map(found.flatMap(([machine, reason]) => (reason === undefined ? [] : [[machine, reason]])));
    for (const machine of machines) {
      const reason = faults.get(machine);
      if ((reason !== undefined) === down.has(machine)) continue;
      if (reason !== undefined) logger.warn({ machine, reason }, "a machine of the database cannot be used");
      else logger.info({ machine }, "a machine of the database can be used again");
    }
    down = new Set(faults.keys());
  };
  /** Why statements fail that need the machine; undefined if they succeed. */
  const fault = async (machine: string): Promise<string | undefined> => {
    const deviceId = keyOn(machine, map.get("device") ?? []);
    if (deviceId === undefined) return undefined;
    const asked = probe(deviceId).then(() => null, reasonOf);
    const answer = await withinTime(asked, answerMillis, () => undefined);
    const inARow = answer === undefined ? (late.get(machine) ?? 0) + 1 : 0;
    late.set(machine, inARow);
    if (answer === undefined && inARow >= lateAnswers) return "no answer";
    return answer ?? undefined;
  };
  const periodic = createPeriodic({
    everyMillis: checkEveryMillis,
    run: lookAtAll,
    failed: (error) => logger.debug({ err: error }, "the machines of the database could not be looked at"),
  });

  return {
    async start() {
      await readMap();
      if (map.size === 0) return;
      noteDistributed(db);
      await periodic.run();
      periodic.start();
    },
    stop: () => periodic.stop(),
    async check() {
      if (map.size > 0) await withinTime(periodic.runNext(), answerMillis, () => undefined);
    },
    isDistributed: () => map.size > 0,
    someAreDown: () => down.size > 0,
    isDown(group, key) {
      if (down.size === 0) return false;
      const machine = machineOf(map.get(group) ?? [], key);
      return machine !== undefined && down.has(machine);
    },
  };
}

/** PostgreSQL's own text, such as that of a refused password. The statement has no values that anybody sent. */
function reasonOf(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found instanceof Error ? found.message : String(found);
}

function machineOf(shards: readonly Shard[], key: ShardKey): string | undefined {
  const hash = postgresHash(typeof key === "string" ? Buffer.from(key) : key);
  return shards.find(({ first, last }) => hash >= first && hash <= last)?.machine;
}

const maxTries = 100_000;

/** A text whose row would be on that machine. */
function keyOn(machine: string, shards: readonly Shard[]): string | undefined {
  if (!shards.some((shard) => shard.machine === machine)) return undefined;
  for (let i = 0; i < maxTries; i++) if (machineOf(shards, `probe ${i}`) === machine) return `probe ${i}`;
  return undefined;
}

/** The shards of each group of tables; empty if nothing is distributed. */
async function readShards(db: Database): Promise<Map<string, Shard[]>> {
  const [citus] = await rows(db, "select 1 from pg_extension where extname = 'citus'");
  if (citus === undefined) return new Map();
  const firsts = new Map<string, string>();
  for (const [table, { group }] of Object.entries(distributedTables)) if (!firsts.has(group)) firsts.set(group, table);
  const found = await rows<Shard & { name: string }>(
    db,
    `select s.logicalrelid::text as name, s.shardminvalue::integer as first, s.shardmaxvalue::integer as last,
            n.nodename || ':' || n.nodeport as machine
     from pg_dist_shard as s
     join pg_dist_placement as p on p.shardid = s.shardid
     join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
     where s.logicalrelid = any(:tables::regclass[]) and s.shardminvalue is not null`,
    { tables: [...firsts.values()] },
  );
  const map = new Map<string, Shard[]>();
  for (const [group, table] of firsts) {
    const shards = found.filter(({ name }) => name === table);
    if (shards.length > 0) map.set(group, shards);
  }
  return map;
}
