import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

// Node.js parses everything it has read from a connection before any answer leaves. 64 KiB can hold over 2,000
// pipelined requests (RFC 9112, section 9.3.2), each of which takes kilobytes until it is answered. The public options
// of Node.js act too late: with `maxRequestsPerSocket` every request is still answered, and a connection that a handler
// pauses or destroys is still parsed to the end of what was read. So requests are bounded where the parser hands them
// over: -1 is an error to the parser, after which it reads nothing more. test/http/pipelining.test.ts fails on a
// Node.js that no longer hands requests over there.

export interface PipeliningSettings {
  /** Maximum number of unanswered requests of one connection. */
  pipelinedRequestsPerConnection: number;
  /**
   * Maximum number of requests, over all connections, that wait behind another request of their connection or did
   * within the last second.
   */
  pipelinedRequestsPerNode: number;
}

/**
 * Bounds the unanswered requests of a server, which must have been created with `pipeliningOptions`. Beyond the bounds
 * a connection is closed after the answers to its earlier requests. The server's listener for `clientError` must call
 * `endAfterAnswers`.
 */
export function boundPipelining(server: Server, settings: PipeliningSettings): void {
  const queue = new Queue(settings.pipelinedRequestsPerNode);
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: ParsedSocket) => {
    const { parser } = socket;
    const handOver = parser?.onIncoming;
    if (!parser || !handOver) return;
    const connection = new PipelinedConnection(socket, settings.pipelinedRequestsPerConnection, queue);
    connections.set(socket, connection);
    socket.once("close", () => connection.close());
    parser.onIncoming = (request, keepAlive) => {
      if (connection.takesAnother()) return handOver(request, keepAlive);
      connection.endAfter(connection.unanswered.at(-1));
      return stopsParser;
    };
  });
}

/** Closes a connection after the answers to its complete requests. Returns false if no such answer is pending. */
export function endAfterAnswers(socket: Socket): boolean {
  const connection = connections.get(socket);
  return connection?.endAfter(connection.unanswered.findLast(({ req }) => req.complete)) ?? false;
}

/** Whether a connection has a request that is not answered yet. */
export function waitsForAnswer(socket: Socket): boolean {
  return (connections.get(socket)?.unanswered.length ?? 0) > 0;
}

/** The fields that Node.js keeps on a connection of its HTTP server. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming: ((request: IncomingMessage, keepAlive: boolean) => number) | null } | null;
}

const stopsParser = -1;
const clearEveryMillis = 1_000;
const connections = new WeakMap<Socket, PipelinedConnection>();

/**
 * Requests of all connections that wait behind another request of their connection. Many are answered as soon as they
 * are parsed, so a place stays taken for up to a second: this bounds the processor time that they take from others as
 * well as their memory.
 */
class Queue {
  readonly #max: number;
  #taken = 0;
  /** Places of answered requests; they are cleared together. */
  #left = 0;

  constructor(max: number) {
    this.#max = max;
  }

  isFull(): boolean {
    return this.#taken >= this.#max;
  }

  enter(): void {
    this.#taken += 1;
  }

  leave(count: number): void {
    if (this.#left === 0) setTimeout(() => this.#clear(), clearEveryMillis).unref();
    this.#left += count;
  }

  #clear(): void {
    this.#taken -= this.#left;
    this.#left = 0;
  }
}

class PipelinedConnection {
  /** In the order of the requests. */
  readonly unanswered: ServerResponse[] = [];
  #isEnding = false;
  readonly #socket: Socket;
  readonly #max: number;
  readonly #queue: Queue;

  constructor(socket: Socket, max: number, queue: Queue) {
    this.#socket = socket;
    this.#max = max;
    this.#queue = queue;
  }

  takesAnother(): boolean {
    if (this.#isEnding) return false;
    const { length } = this.unanswered;
    return length === 0 || (length < this.#max && !this.#queue.isFull());
  }

  add(answer: ServerResponse): void {
    if (this.unanswered.push(answer) > 1) this.#queue.enter();
  }

  remove(answer: ServerResponse): void {
    const at = this.unanswered.indexOf(answer);
    if (at === -1) return;
    this.unanswered.splice(at, 1);
    if (this.unanswered.length > 0) this.#queue.leave(1);
  }

  endAfter(last: ServerResponse | undefined): boolean {
    if (!this.#isEnding) {
      if (last === undefined) return false;
      this.#isEnding = true;
      last.shouldKeepAlive = false;
      // The answer may be written already and wait for earlier answers.
      last.once("close", () => this.#socket.destroySoon());
    }
    this.#socket.pause();
    return true;
  }

  close(): void {
    const left = this.unanswered.splice(0);
    if (left.length > 1) this.#queue.leave(left.length - 1);
    // Node.js 20 does not notify a waiting answer that its connection is gone.
    for (const answer of left) if (answer.socket === null && !answer.destroyed) answer.emit("close");
  }
}

class CountedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...given);
    const connection = connections.get(this.req.socket);
    if (connection === undefined) return;
    connection.add(this);
    this.on("close", forget);
  }
}

/** One function for all answers, because a closure for each costs several times as much. */
function forget(this: ServerResponse): void {
  connections.get(this.req.socket)?.remove(this);
}

/** Pass these to `createServer` so that every answer is counted, including those of Node.js. */
export const pipeliningOptions = { ServerResponse: CountedResponse };
