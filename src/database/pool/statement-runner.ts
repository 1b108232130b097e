import { type Bindings, parseStatement, valuesOf } from "../bindings.js";
import type { Statements } from "../db.js";

/** A statement as the driver takes it. */
export interface BoundStatement {
  text: string;
  values: unknown[];
}

export function boundStatement(sql: string, bindings: Bindings): BoundStatement {
  const statement = parseStatement(sql);
  return { text: statement.text, values: valuesOf(statement, bindings) };
}

/** The methods of the door, for everything that answers a statement with its rows. */
export abstract class StatementRunner implements Statements {
  /** Throws what the door throws. */
  protected abstract ask(sql: string, bindings: Bindings): Promise<unknown[]>;

  rows<T>(sql: string, bindings: Bindings = {}): Promise<T[]> {
    return this.ask(sql, bindings) as Promise<T[]>;
  }

  async one<T>(sql: string, bindings: Bindings = {}): Promise<T | undefined> {
    const [row] = (await this.ask(sql, bindings)) as T[];
    return row;
  }

  async run(sql: string, bindings: Bindings = {}): Promise<void> {
    await this.ask(sql, bindings);
  }
}
