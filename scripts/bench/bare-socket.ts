import { connect, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { kibibyte } from "../../src/protocol/units.js";

/** A port of this machine. With a CA (PEM) it is reached by TLS, and its certificate names localhost. */
export interface SocketAddress {
  port: number;
  ca?: string | undefined;
}

interface SocketEvents {
  /** What was read. It is overwritten by the next read of any socket: copy what must last longer than this call. */
  read(bytes: Buffer): void;
  /** The connection failed, or the other side has closed it. */
  ended(problem: Error): void;
}

/** What one socket has read is dealt with before another one reads, so all share their memory. */
const readMemory = Buffer.allocUnsafeSlow(64 * kibibyte);

/** Opens a connection that costs the driver little: what it reads passes through no stream and needs no memory. */
export async function openBareSocket({ port, ca }: SocketAddress, events: SocketEvents): Promise<Socket> {
  const onread: OnReadOpts = {
    buffer: readMemory,
    callback(size) {
      events.read(readMemory.subarray(0, size));
      return true;
    },
  };
  const plain = { port, host: "127.0.0.1", onread };
  const socket = ca === undefined ? connect(plain) : connectTls({ ...plain, host: "localhost", ca });
  socket.setNoDelay(true);
  await new Promise<void>((settle, fail) => {
    socket.once(ca === undefined ? "connect" : "secureConnect", settle);
    socket.once("error", fail);
  });
  socket.on("error", (problem) => events.ended(problem));
  socket.on("close", () => events.ended(new Error("the connection was closed")));
  return socket;
}
