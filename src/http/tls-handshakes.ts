import type { Server } from "node:https";
import type { Socket } from "node:net";

/**
 * A handshake costs the server a signature before it knows anything of who asks, and holds a connection until it ends.
 * So only some are under way at once: what comes beyond is closed before anything is computed. What takes too long is
 * closed by Node (`handshakeTimeout`).
 */
export function boundHandshakes(server: Server, mostAtOnce: number): void {
  const underway = new Set<string>();
  const beginners = server.listeners("connection");
  // The server's own listeners begin the handshake: on a socket that is closed before, they would fail.
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (underway.size >= mostAtOnce) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    underway.add(peer);
    socket.once("close", () => underway.delete(peer));
    for (const begin of beginners) begin.call(server, socket);
  });
  server.on("secureConnection", (socket: Socket) => underway.delete(peerOf(socket)));
}

/** Tells the connections of one listener apart, with TLS and without. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
