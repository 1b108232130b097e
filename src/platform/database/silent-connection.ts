import type { Socket } from "node:net";
import type { Knex } from "knex";
import type pg from "pg";
import type { OpenTransaction } from "./transaction.js";

const boundMillis = new WeakMap<pg.Client, number>();

/** The driver's connection with a member that its types omit. */
interface Connected extends pg.Client {
  readyForQuery?: boolean;
}

/**
 * Destroys a connection whose statement has received nothing for longer than its timeout. The server itself ends a
 * statement in time; if not even that arrives, the network was cut silently, and the statement, its row locks and its
 * connection would wait until TCP gives up, a quarter of an hour later. Idle connections are left alone. Statements without
 * a timeout have no bound here either.
 */
export function breakSilentConnections(
  connection: pg.Client,
  { statementTimeoutSeconds, graceSeconds }: { statementTimeoutSeconds: number; graceSeconds: number },
): void {
  if (statementTimeoutSeconds === 0) return;
  const stream = socketOf(connection);
  boundMillis.set(connection, (statementTimeoutSeconds + graceSeconds) * 1000);
  stream.on("timeout", () => {
    const isWaiting = (connection as Connected).readyForQuery === false;
    if (isWaiting) stream.destroy(new Error("connection terminated: the database does not answer"));
  });
  stream.setTimeout(boundMillis.get(connection) ?? 0);
}

/**
 * Destroys a connection on which statements wait and nothing has been answered for `boundMillis`. It is for connections on which
 * statements are sent without waiting for earlier answers: there the socket is never idle.
 *
 * One timer serves all statements. The driver's own time limit makes one for each, and through these timers V8 takes the garbage
 * of each statement for something that the one before still uses: it survived until the whole heap was collected.
 */
export class AnswerWatch {
  private readonly boundMillis: number;
  private readonly stream: { destroy(error: Error): unknown };
  private waiting = 0;
  /** When something was answered, or the first of those that wait was sent. */
  private progressAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(stream: AnswerWatch["stream"], boundMillis: number) {
    this.stream = stream;
    this.boundMillis = boundMillis;
  }

  /** A statement, or a group of them, has been sent. */
  sent(): void {
    this.waiting += 1;
    if (this.waiting === 1) this.progressAt = performance.now();
    if (this.timer === undefined) this.checkIn(this.boundMillis);
  }

  /** It has been answered, or has failed. */
  answered(): void {
    this.waiting -= 1;
    this.progressAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private checkIn(millis: number): void {
    this.timer = setTimeout(() => this.check(), millis).unref();
  }

  private check(): void {
    this.timer = undefined;
    if (this.waiting === 0) return;
    const millisLeft = this.progressAt + this.boundMillis - performance.now();
    if (millisLeft > 0) this.checkIn(millisLeft);
    else this.stream.destroy(new Error("connection terminated: the database does not answer"));
  }
}

/** Removes the bound during a transaction whose statements have no timeout. */
export async function withoutSilenceBound<T>(
  trx: OpenTransaction | Knex.Transaction,
  work: () => Promise<T>,
): Promise<T> {
  const connection: pg.Client = "ask" in trx ? trx.connection : await trx.client.acquireConnection();
  const stream = socketOf(connection);
  stream.setTimeout(0);
  try {
    return await work();
  } finally {
    stream.setTimeout(boundMillis.get(connection) ?? 0);
  }
}

/** Plain or encrypted, the stream is a socket. */
function socketOf(connection: pg.Client): Socket {
  return connection.connection.stream as Socket;
}
