import type { Socket } from "node:net";

/**
 * A number that changes whenever the peer accepts bytes. The public counters move only when a whole write is done,
 * which takes longer than any timeout for a large message over a slow connection. The handle's own queue, which Node.js
 * reads for its socket timeouts, moves with every packet. On a runtime without this queue, whole writes count.
 */
export function bytesTaken(socket: Socket): number {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
