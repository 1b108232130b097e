import type { Knex } from "knex";
import type { Clock } from "./clock.js";
import type { Config } from "./config.js";
import { type Db, rows } from "./database/connection.js";
import type { Notifications } from "./database/notifications.js";
import { createFreshCopy } from "./fresh-copy.js";
import type { Logger } from "./logger.js";
import type { Random } from "./random.js";

/** The relay processes that share one database, as each of them sees the others. */
export interface Nodes {
  /** This process's name among them; another one after every start. */
  nodeId: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether that node's heart has beaten lately, as of a copy that is at most a few seconds old. */
  isAlive(nodeId: string): boolean;
}

const channel = "nodes";
const forgottenAfterSeconds = 3600;

/**
 * Heartbeats in the table `nodes`. Beats are stamped and compared by the database alone: whether a process lives is a
 * matter of real time, even where the relay's clock has been moved. One that comes or goes tells the others, which
 * look at once: until they know it, they would take its streams for closed.
 */
export function createNodes(needs: {
  db: Knex;
  clock: Clock;
  random: Random;
  logger: Logger;
  notifications: Pick<Notifications, "notify" | "listen">;
  limits: Pick<Config, "nodeHeartbeatSeconds" | "nodeDeadAfterSeconds">;
}): Nodes {
  const { db, clock, logger, notifications, limits } = needs;
  const nodeId = Buffer.from(needs.random.bytes(8)).toString("hex");
  let living: ReadonlySet<string> = new Set([nodeId]);
  let startedAt = 0;
  let unlisten = () => {};
  const heart = createFreshCopy({
    name: "nodes",
    everyMillis: limits.nodeHeartbeatSeconds * 1000,
    logger,
    async read() {
      await recordBeat(db, { nodeId, startedAt });
      living = new Set([nodeId, ...(await findLiving(db, limits.nodeDeadAfterSeconds))]);
    },
  });

  return {
    nodeId,
    async start() {
      startedAt = clock.nowSeconds();
      await forgetNodes(db);
      await heart.start();
      unlisten = notifications.listen(channel, (other) => {
        if (other !== nodeId) heart.refresh().catch(() => {});
      });
      notifications.notify(channel, nodeId);
    },
    async stop() {
      unlisten();
      await heart.stop();
      try {
        await removeNode(db, nodeId);
        notifications.notify(channel, nodeId);
      } catch (error) {
        logger.warn({ err: error }, "this node could not be signed off");
      }
    },
    isAlive: (other) => living.has(other),
  };
}

async function recordBeat(db: Knex, node: { nodeId: string; startedAt: number }): Promise<void> {
  await rows(
    db,
    `insert into nodes (node_id, started_at, beat_at)
     values (:nodeId, :startedAt, clock_timestamp())
     on conflict (node_id) do update set beat_at = excluded.beat_at`,
    node,
  );
}

async function findLiving(db: Knex, deadAfterSeconds: number): Promise<string[]> {
  const found = await rows<{ node_id: string }>(
    db,
    `select node_id from nodes
     where beat_at > clock_timestamp() - make_interval(secs => :deadAfterSeconds)`,
    { deadAfterSeconds },
  );
  return found.map((row) => row.node_id);
}

async function forgetNodes(db: Knex): Promise<void> {
  await rows(
    db,
    `delete from nodes
     where beat_at < clock_timestamp() - make_interval(secs => :forgottenAfterSeconds)`,
    { forgottenAfterSeconds },
  );
}

async function removeNode(db: Knex, nodeId: string): Promise<void> {
  await rows(db, "delete from nodes where node_id = :nodeId", { nodeId });
}

/** How many nodes' hearts have beaten lately. */
export async function countLivingNodes(
  db: Db,
  { nodeDeadAfterSeconds: deadAfterSeconds }: Pick<Config, "nodeDeadAfterSeconds">,
): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db,
    `select count(*) as count from nodes
     where beat_at > clock_timestamp() - make_interval(secs => :deadAfterSeconds)`,
    { deadAfterSeconds },
  );
  return row?.count ?? 0;
}
