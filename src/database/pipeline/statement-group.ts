import pg from "pg";
import { getTypeParser } from "../pool/connection.js";

// Each Sync of PostgreSQL's extended protocol causes a separate answer: PostgreSQL sends a packet, and Node.js is woken
// to read it. If statements follow each other anyway, one Sync after all of them costs a fraction of that. PostgreSQL
// describes the rows of a statement only the first time that it is executed on a connection; afterwards they are known.

/** A prepared statement being sent. Its values have the form in which they are sent. */
export interface StatementToSend {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
  settle(rows: unknown[]): void;
  fail(error: Error): void;
}

/** What is known of the rows of a connection's prepared statements, by the statement's name. */
export type RowShapes = Map<string, RowShape>;

interface RowShape {
  names: readonly string[];
  parsers: readonly ((text: string) => unknown)[];
}

const noRows: RowShape = { names: [], parsers: [] };

/**
 * Statements that are sent at once with one Sync behind them. Outside an explicit transaction they form an implicit one. After
 * an error PostgreSQL skips to the Sync, and the error is that of every statement of the group. `ended` is called before any
 * statement has its outcome.
 */
export function groupQuery(
  statements: readonly StatementToSend[],
  { shapes, ended }: { shapes: RowShapes; ended: () => void },
): pg.Query {
  const results: unknown[][] = statements.map(() => []);
  let at = 0;
  const finish = (error: Error | null): void => {
    ended();
    statements.forEach((statement, i) => {
      if (error === null) statement.settle(results[i] as unknown[]);
      else statement.fail(error);
    });
  };
  const query = new pg.Query({ text: "" }) as GroupQuery;
  /** The driver records the statement of this name as prepared when PostgreSQL says that it has parsed it. */
  const moveTo = (index: number): void => {
    at = index;
    query.name = statements[index]?.name;
    query.text = statements[index]?.text;
  };
  const state: GroupState = {
    callback: finish,
    submit(connection) {
      for (const { name, text, values } of statements) {
        if (!isPrepared(connection, name)) {
          connection.parse({ name, text });
          connection.submittedNamedStatements[name] = text;
        }
        connection.bind({ statement: name, values });
        if (!shapes.has(name)) connection.describe({ type: "P" });
        connection.execute(undefined);
      }
      connection.sync();
      return null;
    },
    handleRowDescription({ fields }) {
      shapes.set((statements[at] as StatementToSend).name, {
        names: fields.map(({ name }) => name),
        parsers: fields.map(({ dataTypeID }) => getTypeParser(dataTypeID, "text") as (text: string) => unknown),
      });
    },
    handleDataRow({ fields }) {
      const { names, parsers } = shapes.get((statements[at] as StatementToSend).name) ?? noRows;
      const row: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) {
        const field = fields[i];
        row[names[i] as string] = field == null ? null : parsers[i]?.(field);
      }
      results[at]?.push(row);
    },
    handleCommandComplete() {
      const { name } = statements[at] as StatementToSend;
      if (!shapes.has(name)) shapes.set(name, noRows);
      moveTo(at + 1);
    },
    handleReadyForQuery() {
      this.callback(null);
    },
    handleError(error, connection) {
      // Statements after the failed one were not parsed, so they must be prepared at their next use.
      for (const { name } of statements.slice(at)) delete connection.submittedNamedStatements[name];
      this.callback(error);
    },
  };
  Object.assign(query, state);
  moveTo(0);
  return query;
}

function isPrepared({ parsedStatements, submittedNamedStatements }: GroupConnection, name: string): boolean {
  return parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined;
}

// Members that the driver uses itself and that its types omit; they are checked by test/platform/statement-groups.test.ts.

interface GroupQuery extends pg.Query {
  name: string | undefined;
  text: string | undefined;
}

interface GroupState {
  callback(error: Error | null): void;
  submit(connection: GroupConnection): null;
  handleRowDescription(message: { fields: readonly { name: string; dataTypeID: number }[] }): void;
  handleDataRow(message: { fields: readonly (string | null)[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: Error, connection: GroupConnection): void;
}

interface GroupConnection {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  parse(query: { name: string; text: string }): void;
  bind(query: { statement: string; values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: "P" }): void;
  execute(message: undefined): void;
  sync(): void;
}
