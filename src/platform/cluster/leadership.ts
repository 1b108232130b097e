import type { Knex } from "knex";
import type pg from "pg";
import { closeConnection, closedOnPurpose } from "../database/connection.js";
import type { Logger } from "../logger.js";
import { createPeriodic } from "./periodic.js";

/** Leadership: one node does the work that must be done once for all nodes. */
export interface Leadership {
  start(): Promise<void>;
  stop(): Promise<void>;
  held(): boolean;
}

const lookEveryMillis = 1_000;
const answerTimeoutMillis = 5_000;

// Any number will do, as long as every version of the relay uses the same one.
const leaderLock = 7_350_203;
const stillThere = { text: "select true as answer", query_timeout: answerTimeoutMillis };
const takeLock = {
  text: "select pg_try_advisory_lock($1::bigint) as answer",
  values: [leaderLock],
  query_timeout: answerTimeoutMillis,
};

/**
 * A session-level advisory lock, held on one connection of the pool. The database releases it as soon as the leader's
 * connection ends, so another node, which tries every second, takes over within about that time. The leader checks its
 * connection as often and steps down when it does not answer.
 */
export function createLeadership(deps: { db: Knex; logger: Logger }): Leadership {
  const { db, logger } = deps;
  let connection: pg.Client | undefined;
  let held = false;

  async function look(): Promise<void> {
    connection ??= (await db.client.acquireConnection()) as pg.Client;
    const { rows } = await connection.query<{ answer: boolean }>(held ? stillThere : takeLock);
    if (!held && rows[0]?.answer) logger.info("this node runs the jobs of all nodes");
    held = rows[0]?.answer === true;
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

  /** Ends the connection instead of returning it, so that no lock stays behind in the pool. */
  async function discard(): Promise<void> {
    const old = connection;
    connection = undefined;
    if (!old) return;
    await closeConnection(old);
    await db.client.releaseConnection(Object.assign(old, { __knex__disposed: closedOnPurpose }));
  }

  const periodic = createPeriodic({
    everyMillis: lookEveryMillis,
    run: lookOrStepBack,
    failed: (error) => logger.warn({ err: error }, "the connection of a former leader could not be closed"),
  });

  return {
    async start() {
      await periodic.run();
      periodic.start();
    },
    async stop() {
      await periodic.stop();
      held = false;
      await discard();
    },
    held: () => held,
  };
}
