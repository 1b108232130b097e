import { asynchronousCommit } from "../database/asynchronous-commit.js";
import type { Database, Db, Transaction } from "../database/db.js";
import type { Notifications } from "../database/pool/notifications.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { ServerConfig } from "../platform/config/server.js";
import { ConfigError } from "../platform/config/variables.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { hourSeconds } from "../protocol/units.js";
import type { Clock } from "./clock.js";
import type { NodeSettings } from "./config.js";
import { readServerName, refuseChangedDomain, type ServerName, writeServerName } from "./server-name.js";

/** The relay processes that share one database, as seen by one of them. */
export type Nodes = ReturnType<typeof createNodes>;

const channel = "nodes";
const forgottenAfterSeconds = hourSeconds;

/**
 * Heartbeats in the table `nodes`. Only the database stamps and compares them: whether a process is alive is a matter
 * of real time, even if the relay's clock has been moved. A heartbeat in the future was stamped by a clock that was ahead, by a
 * process that has not sent one since. A node that starts or stops notifies the others, which read
 * the table at once; otherwise they would treat its streams as closed.
 */
export function createNodes(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  logger: Logger;
  notifications: Pick<Notifications, "notify" | "listen">;
  config: Pick<NodeSettings, "nodeHeartbeatSeconds" | "nodeDeadAfterSeconds"> &
    Pick<ServerConfig, "domain" | "baseUrl">;
  /** Whether this node may take a name that differs from the database's. */
  mayChangeDomain: (db: Db) => Promise<boolean>;
}) {
  const { db, clock, logger, notifications, config } = deps;
  const name: ServerName = { domain: config.domain, baseUrl: config.baseUrl };
  const nodeId = Buffer.from(deps.random.bytes(8)).toString("hex");
  let living: ReadonlySet<string> = new Set([nodeId]);
  let startedAt = 0;
  let listensAt = "";
  let unlisten = () => {};
  let stopping = false;
  const self = (): NodeRow => ({ nodeId, startedAt, listensAt });
  const beat = async (): Promise<void> => {
    const others = await recordBeat(db, { ...self(), deadAfterSeconds: config.nodeDeadAfterSeconds });
    living = new Set([nodeId, ...others]);
  };
  const takeName = async (trx: Transaction): Promise<void> => {
    const known = await readServerName(trx);
    if (known !== undefined && known.domain !== name.domain) {
      refuseBesideNodes(name.domain, { known: known.domain, living: await findLivingNodes(trx, config) });
      if (!(await deps.mayChangeDomain(trx))) refuseChangedDomain(known.domain, name.domain);
    }
    if (known?.domain !== name.domain || known.baseUrl !== name.baseUrl) await writeServerName(trx, name);
  };
  const heart = createPeriodic({
    everyMillis: config.nodeHeartbeatSeconds * 1000,
    // A heartbeat after the node's last one would restore its row.
    run: async () => (stopping ? undefined : beat()),
    failed: (error) => logger.warn({ err: error }, "the heartbeat could not be written"),
  });

  return {
    /** This process's id; each start creates a new one. */
    nodeId,
    async start(): Promise<void> {
      startedAt = clock.nowSeconds();
      await forgetNodes(db);
      await db.transaction(async (trx) => {
        await lockNodes(trx);
        await takeName(trx);
        await insertNode(trx, self());
      });
      await beat();
      heart.start();
      unlisten = notifications.listen(channel, (other) => {
        if (other !== nodeId) void heart.runNext();
      });
      notifications.notify(channel, nodeId);
    },
    async stop(): Promise<void> {
      unlisten();
      stopping = true;
      await heart.stop();
      try {
        await removeNode(db, nodeId);
        notifications.notify(channel, nodeId);
      } catch (error) {
        logger.warn({ err: error }, "this node could not be removed from the list of nodes");
      }
    },
    /** Tells commands on this machine the URL at which this node listens. */
    async listensAt(url: string): Promise<void> {
      listensAt = url;
      await heart.runNext();
    },
    /** Whether the node has sent a recent heartbeat, according to a copy that is at most a few seconds old. */
    isAlive: (other: string): boolean => living.has(other),
    /** Reads that copy again if it does not have the node: the news of a start may have been lost. */
    async isGone(other: string): Promise<boolean> {
      if (!living.has(other)) await heart.runNext();
      return !living.has(other);
    },
    /** How many nodes have sent a recent heartbeat, including this one, according to the same copy. */
    count: (): number => living.size,
  };
}

/** Delays every other start until the transaction ends, so that two relays starting at the same time see each other. */
export async function lockNodes(trx: Transaction): Promise<void> {
  await trx.run("select pg_advisory_xact_lock(hashtextextended('mls-relay nodes', 0))");
}

/** Nodes with different domains would each treat the other's addresses, tokens and peers as foreign. */
function refuseBesideNodes(domain: string, { known, living }: { known: string; living: readonly LivingNode[] }): void {
  const [other] = living;
  if (other === undefined) return;
  throw new ConfigError([
    `DOMAIN is ${domain}, but a node on this database serves ${known}: all nodes of a database have one DOMAIN. ${describeLivingNode(other)}`,
  ]);
}

interface NodeRow {
  nodeId: string;
  startedAt: number;
  listensAt: string;
}

/** Written to disk before the node is used: a node that starts at the same time must find it. */
async function insertNode(trx: Transaction, node: NodeRow): Promise<void> {
  await trx.run(
    `insert into nodes (node_id, started_at, heartbeat_at, listens_at)
     values (:nodeId, :startedAt, clock_timestamp(), :listensAt)`,
    { ...node },
  );
}

/** Writes the heartbeat, and the row if it was deleted; returns the nodes with a recent heartbeat. */
async function recordBeat(db: Database, node: NodeRow & { deadAfterSeconds: number }): Promise<string[]> {
  const found = await db.preparedRows<{ node_id: string }>(
    `${asynchronousCommit},
     beat as (
       insert into nodes (node_id, started_at, heartbeat_at, listens_at)
       select :nodeId::text, :startedAt::bigint, clock_timestamp(), :listensAt::text
       from asynchronous_commit
       on conflict (node_id) do update set heartbeat_at = excluded.heartbeat_at, listens_at = excluded.listens_at
     )
     select node_id from nodes
     where abs(extract(epoch from clock_timestamp() - heartbeat_at)) < :deadAfterSeconds::double precision`,
    { ...node },
  );
  return found.map((row) => row.node_id);
}

async function forgetNodes(db: Database): Promise<void> {
  await db.run(
    `delete from nodes
     where abs(extract(epoch from clock_timestamp() - heartbeat_at)) > :forgottenAfterSeconds::double precision`,
    { forgottenAfterSeconds },
  );
}

async function removeNode(db: Database, nodeId: string): Promise<void> {
  await db.run("delete from nodes where node_id = :nodeId", { nodeId });
}

/** A node that is up, or was until recently. */
interface LivingNode {
  nodeId: string;
  /** Seconds since its last heartbeat. */
  silentSeconds: number;
  /** Seconds until it counts as gone. */
  secondsLeft: number;
}

/** The nodes with a recent heartbeat. */
export async function findLivingNodes(
  db: Db,
  { nodeDeadAfterSeconds: deadAfterSeconds }: Pick<NodeSettings, "nodeDeadAfterSeconds">,
): Promise<LivingNode[]> {
  return db.rows<LivingNode>(
    `select node_id as "nodeId", floor(silent) as "silentSeconds",
       ceil(:deadAfterSeconds::numeric - silent) as "secondsLeft"
     from nodes, lateral (select abs(extract(epoch from clock_timestamp() - heartbeat_at))::numeric as silent) as s
     where silent < :deadAfterSeconds::numeric
     order by silent`,
    { deadAfterSeconds },
  );
}

/** Where the node with the latest heartbeat listens: a URL; undefined if none runs. */
export async function findRunningUrl(
  db: Db,
  { nodeDeadAfterSeconds: deadAfterSeconds }: Pick<NodeSettings, "nodeDeadAfterSeconds">,
): Promise<string | undefined> {
  const found = await db.one<{ listensAt: string }>(
    `select listens_at as "listensAt" from nodes
     where abs(extract(epoch from clock_timestamp() - heartbeat_at)) < :deadAfterSeconds::double precision
       and listens_at <> ''
     order by heartbeat_at desc limit 1`,
    { deadAfterSeconds },
  );
  return found?.listensAt;
}

/** Lets an operator distinguish a relay that runs from one that died a moment ago. */
export function describeLivingNode({ nodeId, silentSeconds, secondsLeft }: LivingNode): string {
  return `Node ${nodeId} was last heard ${silentSeconds} s ago; if it is not running any more, try again in ${secondsLeft} s.`;
}
