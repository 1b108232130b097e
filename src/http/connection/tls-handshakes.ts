import type { Server } from "node:https";
import type { Socket } from "node:net";

/**
 * Bounds the number of concurrent TLS handshakes. A handshake costs the server a signature before it knows anything
 * about the client, and holds a connection until it ends. Connections beyond the bound are closed before anything is
 * computed. Node closes handshakes that take too long (`handshakeTimeout`).
 */
export function boundHandshakes(server: Server, maxAtOnce: number): void {
  const underway = new Set<string>();
  const beginners = server.listeners("connection");
  // The server's own listeners begin the handshake; they would fail on a closed socket.
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (underway.size >= maxAtOnce) {
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

/** Identifies a connection of one listener, before and after its handshake. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
