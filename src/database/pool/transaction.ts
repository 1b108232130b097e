import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Bindings } from "../bindings.js";
import type { Transaction } from "../db.js";
import { translateDatabaseError } from "../errors.js";
import type { Placement } from "../placement.js";
import { boundStatement, StatementRunner } from "./statement-runner.js";

const rollbackMillis = 5_000;

/**
 * A transaction on a connection of the pool. The query builder's own are objects with all of its methods, made again for
 * each: 40 kB that outlive the collections of new objects (spec/decisions/0131).
 */
export class OpenTransaction extends StatementRunner implements Transaction {
  readonly isTransaction = true;
  readonly placement: Placement;
  private readonly connection: pg.Client;
  private readonly whenCommitted: (() => void)[] = [];
  private savepoints = 0;
  private ended = false;
  private lost = false;

  constructor(connection: pg.Client, placement: Placement) {
    super();
    this.connection = connection;
    this.placement = placement;
  }

  /** Whether it could not be rolled back, so that nobody else may use its connection. */
  get isLost(): boolean {
    return this.lost;
  }

  protected async ask(sql: string, bindings: Bindings): Promise<unknown[]> {
    if (this.ended) throw new Error("the transaction has ended");
    try {
      const { rows } = await this.connection.query(boundStatement(sql, bindings));
      return rows;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  afterCommit(then: () => void): void {
    this.whenCommitted.push(then);
  }

  async transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    const name = `within_${++this.savepoints}`;
    await this.run(`savepoint ${name}`);
    try {
      const result = await work(this);
      await this.run(`release savepoint ${name}`);
      return result;
    } catch (error) {
      await this.run(`rollback to savepoint ${name}`);
      throw error;
    }
  }

  /**
   * Begins, runs `work`, and commits; rolls back when `work` throws. Throws as well if a statement failed and `work` went
   * on all the same: PostgreSQL answers such a commit without an error, and has rolled back. Errors of begin and commit
   * are the driver's own.
   */
  async carryOut<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    await this.connection.query("begin");
    let result: T;
    try {
      result = await work(this);
    } catch (error) {
      this.ended = true;
      this.lost = !(await rollsBack(this.connection));
      throw error;
    }
    this.ended = true;
    const { command } = await this.connection.query("commit");
    if (command !== "COMMIT") throw new Error("a statement of the transaction had failed, so it was rolled back");
    for (const then of this.whenCommitted) then();
    return result;
  }
}

/** Whether the transaction is rolled back in time. */
async function rollsBack(connection: pg.Client): Promise<boolean> {
  const rolledBack = connection.query("rollback").then(
    () => true,
    () => false,
  );
  const tooLong = new AbortController();
  const waited = sleep(rollbackMillis, false, { signal: tooLong.signal }).catch(() => false);
  const isRolledBack = await Promise.race([rolledBack, waited]);
  tooLong.abort();
  return isRolledBack;
}
