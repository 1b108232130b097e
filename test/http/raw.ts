import { connect, type Socket } from "node:net";

export interface RawAnswer {
  status: number;
  head: string;
  text: string;
}

/** A connection on which a test writes bytes as it likes. */
export interface RawConnection {
  socket: Socket;
  write(text: string): void;
  /** The next answer, by its Content-Length. Interim answers (1xx) count as answers. */
  answer(): Promise<RawAnswer>;
  /** What has come and is in no answer yet. */
  rest(): string;
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>;
}

export function connectRaw(port: number, localAddress = "127.0.0.1"): RawConnection {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  let received = "";
  let wake = (): void => undefined;
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
    wake();
  });
  socket.on("error", () => wake());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const answer = async (): Promise<RawAnswer> => {
    for (;;) {
      const taken = takeAnswer(received);
      if (taken !== null) {
        received = taken.rest;
        return taken.answer;
      }
      if (socket.destroyed || socket.readableEnded) throw new Error(`the connection ended after: ${received}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        socket.once("close", () => resolve());
      });
    }
  };
  return { socket, write: (text) => void socket.write(text), answer, rest: () => received, closed };
}

function takeAnswer(received: string): { answer: RawAnswer; rest: string } | null {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = received.slice(0, end);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const start = end + 4;
  if (received.length < start + length) return null;
  const text = received.slice(start, start + length);
  return { answer: { status: Number(head.split(" ")[1]), head, text }, rest: received.slice(start + length) };
}
