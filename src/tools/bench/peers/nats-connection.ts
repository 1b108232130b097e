import { openBareSocket } from "../bare-socket.js";

// The protocol of NATS's clients, as far as it takes to publish to JetStream:
// https://docs.nats.io/reference/reference-protocols/nats-protocol

/** A connection whose published messages are answered. */
export interface NatsConnection {
  /** Sends bytes of `publication`. They must not change until they have been answered. */
  send(bytes: Buffer): void;
  /** Asks JetStream's API, and throws if it answers an error. */
  ask(subject: string, body: object): Promise<void>;
  close(): void;
}

export interface NatsEvents {
  /** The answer to a publication has come. */
  answered(answer: Buffer): void;
  failed(problem: Error): void;
}

const greeting = {
  verbose: false,
  pedantic: false,
  lang: "node",
  version: "1",
  protocol: 1,
  headers: true,
  no_responders: true,
};
const inbox = "_INBOX.bench";
const subscriptionId = 1;
const lineEnd = Buffer.from("\r\n");
const errorName = Buffer.from('"error"');

/** Bytes that publish a message. Answers go to the connection's own subscription. */
export function publication(subject: string, connection: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`PUB ${subject} ${inbox}.${connection} ${payload.length}\r\n`), payload, lineEnd]);
}

export async function openNatsConnection(
  { port, connection }: { port: number; connection: number },
  events: NatsEvents,
): Promise<NatsConnection> {
  let asked: ((answer: string) => void) | undefined;
  let isClosed = false;
  const reader = new AnswerReader({
    message(payload) {
      if (asked !== undefined) asked(payload.toString());
      else if (payload.includes(errorName)) events.failed(new Error(payload.toString()));
      else events.answered(payload);
    },
    ping: () => void socket.write("PONG\r\n"),
    failed: events.failed,
  });
  const ended = (problem: Error): void => {
    if (!isClosed) events.failed(problem);
  };
  const socket = await openBareSocket({ port }, { read: (bytes) => reader.take(bytes), ended });
  socket.write(`CONNECT ${JSON.stringify(greeting)}\r\nSUB ${inbox}.${connection} ${subscriptionId}\r\n`);
  return {
    send: (bytes) => void socket.write(bytes),
    async ask(subject, body) {
      const answer = await new Promise<string>((settle) => {
        asked = settle;
        socket.write(publication(subject, connection, Buffer.from(JSON.stringify(body))));
      });
      asked = undefined;
      if (answer.includes(errorName.toString())) throw new Error(`${subject}: ${answer}`);
    },
    close() {
      isClosed = true;
      socket.destroy();
    },
  };
}

const [letterM, letterP, letterI] = [0x4d, 0x50, 0x49];
const nothing = Buffer.alloc(0);

/** Cuts what a server sends into its lines and messages: MSG, INFO, PING, PONG and -ERR. */
class AnswerReader {
  private readonly on: { message(payload: Buffer): void; ping(): void; failed(problem: Error): void };
  private held: Buffer = nothing;

  constructor(on: AnswerReader["on"]) {
    this.on = on;
  }

  /** The bytes are used only during this call. */
  take(bytes: Buffer): void {
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    let at = 0;
    for (let end = this.pass(all, at); end > at; end = this.pass(all, at)) at = end;
    this.held = at === all.length ? nothing : Buffer.from(all.subarray(at));
  }

  /** Where what begins here ends; the same place if it is not complete. */
  private pass(all: Buffer, start: number): number {
    const end = all.indexOf(lineEnd, start);
    if (end < 0) return start;
    const first = all[start];
    if (first === letterM) return this.passMessage(all, start, end);
    if (first === letterP) {
      if (all[start + 1] === letterI) this.on.ping();
    } else if (first !== letterI) this.on.failed(new Error(all.toString("latin1", start, end)));
    return end + lineEnd.length;
  }

  /** `MSG <subject> <subscription> <bytes>`, and a line of so many bytes. */
  private passMessage(all: Buffer, start: number, lineAt: number): number {
    const payloadAt = lineAt + lineEnd.length;
    const size = Number(all.toString("latin1", all.lastIndexOf(0x20, lineAt) + 1, lineAt));
    const end = payloadAt + size + lineEnd.length;
    if (all.length < end) return start;
    this.on.message(all.subarray(payloadAt, payloadAt + size));
    return end;
  }
}
