import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type Bindings, bindNumbered } from "./bindings.js";
import type { Placement } from "./placement.js";

const rollbackMillis = 5_000;
const notRolledBack = "a transaction could not be rolled back";

/**
 * A transaction on a connection of the pool. The query builder's own are objects with all of its methods, made again for
 * each: 40 kB that outlive the collections of new objects (spec/decisions/0148).
 */
export class OpenTransaction {
  readonly isTransaction = true;
  readonly connection: pg.Client;
  readonly placement: Placement;
  private readonly afterCommit: (() => void)[] = [];
  private savepoints = 0;
  private ended = false;

  constructor(connection: pg.Client, placement: Placement) {
    this.connection = connection;
    this.placement = placement;
  }

  /** Throws the driver's own errors. */
  async ask<T>(sql: string, bindings: Bindings): Promise<T[]> {
    if (this.ended) throw new Error("the transaction has ended");
    const result = await this.connection.query(bindNumbered(sql, bindings));
    return result.rows as T[];
  }

  /** Calls `then` once the transaction is committed. */
  whenCommitted(then: () => void): void {
    this.afterCommit.push(then);
  }

  /** Runs `work` so that only its own statements are undone where it throws. */
  async within<T>(work: (transaction: this) => Promise<T>): Promise<T> {
    const name = `within_${++this.savepoints}`;
    await this.ask(`savepoint ${name}`, {});
    try {
      const result = await work(this);
      await this.ask(`release savepoint ${name}`, {});
      return result;
    } catch (error) {
      await this.ask(`rollback to savepoint ${name}`, {});
      throw error;
    }
  }

  /**
   * Begins, runs `work`, and commits; rolls back where `work` throws. Throws as well where a statement failed and `work` went
   * on all the same: PostgreSQL answers such a commit without an error, and has rolled back.
   */
  async run<T>(work: (transaction: this) => Promise<T>): Promise<T> {
    await this.connection.query("begin");
    let result: T;
    try {
      result = await work(this);
    } catch (error) {
      this.ended = true;
      await rollBack(this.connection);
      throw error;
    }
    this.ended = true;
    const { command } = await this.connection.query("commit");
    if (command !== "COMMIT") throw new Error("a statement of the transaction had failed, so it was rolled back");
    for (const then of this.afterCommit) then();
    return result;
  }
}

/** Where this fails, or takes too long, the pool does not lend the connection again. */
async function rollBack(connection: pg.Client): Promise<void> {
  const rolledBack = connection.query("rollback").then(
    () => true,
    () => false,
  );
  const tooLong = new AbortController();
  const waited = sleep(rollbackMillis, false, { signal: tooLong.signal }).catch(() => false);
  if (!(await Promise.race([rolledBack, waited]))) Object.assign(connection, { __knex__disposed: notRolledBack });
  tooLong.abort();
}
