import type { Database, HeldConnection } from "../database/db.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import type { NodeSettings } from "./config.js";
import { followCondition, type PolledCondition, type SharedPoll } from "./shared-poll.js";

/** Leadership: one node does the work that must be done once for all nodes. */
export type Leadership = ReturnType<typeof createLeadership>;

const confirmEveryMillis = 1_000;
const answerTimeoutMillis = 5_000;

// Any number works, as long as every version of the relay uses the same one.
const leaderLock = 7_350_203;

/**
 * Returns null while a node leads and is not silent. The shared lock, held by this statement alone, is granted if
 * nobody leads.
 */
const leaderMissing = `
  select case when pg_try_advisory_xact_lock_shared(:leaderLock::bigint) then 'nobody leads'
              when exists (select from nodes where leader_pid is not null
                             and abs(extract(epoch from clock_timestamp() - heartbeat_at)) > :leaderSilentSeconds::double precision)
              then 'the leader is silent' end`;

interface Look {
  held: boolean;
  /** The database process of a leader that has been silent for too long. */
  silent: number | null;
}

interface LeadershipDeps {
  db: Database;
  nodeId: string;
  logger: Logger;
  poll: Pick<SharedPoll, "follow">;
  config: Pick<NodeSettings, "nodeDeadAfterSeconds">;
}

/**
 * A session-level advisory lock, held on one connection of the pool. The database releases it as soon as the leader's
 * connection ends; another node's poll notices within a second, and that node takes over. The leader checks its
 * connection every second, which counts as its heartbeat, and steps down if there is no answer.
 *
 * The connection of a node that hangs stays open. Once its heartbeat is too old, the next node that polls ends the
 * connection. A node that hangs and wakes again is no longer the leader from the first moment, because its last check
 * is too old by its own timer, too: it made that check before the database recorded the heartbeat.
 */
export function createLeadership(deps: LeadershipDeps) {
  const { db, nodeId } = deps;
  const { nodeDeadAfterSeconds: deadAfterSeconds } = deps.config;
  const logger = deps.logger.child({ node: nodeId });
  let connection: HeldConnection | undefined;
  let held = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let missing: PolledCondition | undefined;

  async function look(): Promise<void> {
    connection ??= await db.takeConnection({ answerTimeoutMillis });
    const now = performance.now();
    const before = held;
    const found = held ? await confirm(connection, nodeId) : await tryLock(connection, deadAfterSeconds);
    checkedAt = now;
    held = found.held;
    if (held && !before) {
      logger.info("this node runs the jobs of all nodes");
      await recordLeader(connection, nodeId);
    }
    if (found.silent !== null && (await end(connection, found.silent))) {
      logger.warn("the node that ran the jobs hangs: its leadership was ended");
    }
  }

  async function lookOrStepBack(): Promise<void> {
    try {
      await look();
    } catch (error) {
      held = false;
      logger.warn({ err: error }, "this node lost leadership");
      await discard();
    }
  }

  async function discard(): Promise<void> {
    const old = connection;
    connection = undefined;
    await old?.end();
  }

  const periodic = createPeriodic({
    everyMillis: confirmEveryMillis,
    async run() {
      if (held || missing?.mayHold() !== false) await lookOrStepBack();
    },
    failed: (error) => logger.warn({ err: error }, "the connection of a former leader could not be closed"),
  });

  return {
    async start(): Promise<void> {
      await periodic.run();
      periodic.start();
      missing = followMissingLeader(deps, () => {
        if (!held) void periodic.run();
      });
    },
    async stop(): Promise<void> {
      missing?.unfollow();
      await periodic.stop();
      held = false;
      await discard();
    },
    held: (): boolean => held && performance.now() - checkedAt < deadAfterSeconds * 1000,
  };
}

function followMissingLeader({ poll, config }: LeadershipDeps, found: () => void): PolledCondition {
  const bindings = () => ({ leaderLock, leaderSilentSeconds: config.nodeDeadAfterSeconds });
  return followCondition(poll, { sql: leaderMissing, bindings, found });
}

async function confirm(connection: HeldConnection, nodeId: string): Promise<Look> {
  // The rows of nodes are gone after a crash of the database. Its own row may have come back since the node became the leader.
  await connection.run(
    "update nodes set heartbeat_at = clock_timestamp(), leader_pid = pg_backend_pid() where node_id = :nodeId",
    { nodeId },
  );
  return { held: true, silent: null };
}

async function tryLock(connection: HeldConnection, deadAfterSeconds: number): Promise<Look> {
  const found = await connection.one<Look>(
    `select pg_try_advisory_lock(:leaderLock::bigint) as held,
       (select min(leader_pid) from nodes
        where leader_pid is not null
          and abs(extract(epoch from clock_timestamp() - heartbeat_at)) > :deadAfterSeconds::double precision) as silent`,
    { leaderLock, deadAfterSeconds },
  );
  return found?.held === true ? { held: true, silent: null } : { held: false, silent: found?.silent ?? null };
}

async function recordLeader(connection: HeldConnection, nodeId: string): Promise<void> {
  await connection.run(
    `update nodes set leader_pid = case when node_id = :nodeId then pg_backend_pid() end
     where node_id = :nodeId or leader_pid is not null`,
    { nodeId },
  );
}

/** Ends the process if it still holds the lock: its number may belong to another one by now. */
async function end(connection: HeldConnection, pid: number): Promise<boolean> {
  const ended = await connection.rows(
    `select pg_terminate_backend(pid) from pg_locks
     where pid = :pid and locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())
       and (classid::bigint << 32) | objid::bigint = :leaderLock::bigint`,
    { leaderLock, pid },
  );
  return ended.length > 0;
}
