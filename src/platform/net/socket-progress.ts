import type { Socket } from "node:net";

/**
 * A figure that changes whenever the peer takes some bytes. The public counters move only when a whole write is done, which
 * for one large message over a slow line takes longer than any time-out; the handle's own queue, which the runtime reads
 * for its socket time-outs, moves with every packet. Where a runtime has none, whole writes count.
 */
export function bytesTaken(socket: Socket): number {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
