import type { Server } from "node:https";
import type { Socket } from "node:net";
import { networkKey, siteKey } from "../../platform/addresses/network-key.js";

/**
 * Bounds the number of concurrent TLS handshakes. A handshake costs the server a signature before it knows anything
 * about the client, and holds a connection until it ends. When all places are taken, the network with most of them loses
 * its oldest handshake, so that nobody keeps others out with handshakes that do not go on. If no network has more than
 * the newest one, as when many clients come back together, the newest connection is closed before anything is computed:
 * what has begun is not thrown away. Node closes handshakes that take too long (`handshakeTimeout`).
 */
export function boundHandshakes(server: Server, maxAtOnce: number): void {
  const underway = new Handshakes();
  const beginners = server.listeners("connection");
  // The server's own listeners begin the handshake; they would fail on a closed socket.
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    const network = siteOf(socket);
    if (underway.size >= maxAtOnce && !underway.makeRoomFor(network)) {
      socket.destroy();
      return;
    }
    underway.add({ peer, network, socket });
    socket.once("close", () => underway.delete(peer));
    for (const begin of beginners) begin.call(server, socket);
  });
  server.on("secureConnection", (socket: Socket) => underway.delete(peerOf(socket)));
}

interface Handshake {
  readonly peer: string;
  readonly network: string;
  readonly socket: Socket;
}

class Handshakes {
  /** In the order in which they began. */
  readonly #byPeer = new Map<string, Handshake>();
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#byPeer.size;
  }

  add(handshake: Handshake): void {
    this.#byPeer.set(handshake.peer, handshake);
    this.#change(handshake.network, 1);
  }

  delete(peer: string): void {
    const handshake = this.#byPeer.get(peer);
    if (handshake === undefined) return;
    this.#byPeer.delete(peer);
    this.#change(handshake.network, -1);
  }

  /** Closes the oldest handshake of the network with most of them; false if another one of `network` would be as many. */
  makeRoomFor(network: string): boolean {
    const [largest, count] = [...this.#counts].reduce((most, next) => (next[1] > most[1] ? next : most), [network, 0]);
    if (count <= (this.#counts.get(network) ?? 0) + 1) return false;
    for (const handshake of this.#byPeer.values()) {
      if (handshake.network !== largest) continue;
      this.delete(handshake.peer);
      handshake.socket.destroy();
      return true;
    }
    return false;
  }

  #change(network: string, by: number): void {
    const count = (this.#counts.get(network) ?? 0) + by;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }
}

/** The IPv6 /48 or the IPv4 address. */
function siteOf({ remoteAddress = "" }: Socket): string {
  const network = networkKey(remoteAddress);
  return siteKey(network) ?? network;
}

/** Identifies a connection of one listener, before and after its handshake. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
