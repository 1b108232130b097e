import { connect, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { kibibyte } from "../../src/protocol/units.js";

/** A port of this machine. With a CA (PEM) the connection uses TLS, and the certificate must name localhost. */
export interface SocketAddress {
  port: number;
  ca?: string | undefined;
}

interface SocketEvents {
  /** The bytes read. The next read of any socket overwrites them: copy what must last longer than this call. */
  read(bytes: Buffer): void;
  /** The connection failed, or the other side has closed it. */
  ended(problem: Error): void;
}

/** What one socket has read is processed before another socket reads, so all share one buffer. */
const readMemory = Buffer.allocUnsafeSlow(64 * kibibyte);

/** Opens a connection that costs the driver little: its reads pass through no stream and allocate no memory. */
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
