import { Agent, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Config } from "../../platform/config/config.js";
import type { Domain } from "../../protocol/address.js";
import { PeerError } from "./calls.js";
import { type ConnectionDeps, connectToPeer, problemOfPeer } from "./connection.js";
import type { Trust } from "./trust-store.js";

export interface PeerAgentDeps extends ConnectionDeps {
  /** Whether messages are exchanged with a peer at all. */
  admits(peer: Domain): boolean;
  config: ConnectionDeps["config"] & Pick<Config, "federationConnectionMaxAgeSeconds">;
}

/** A connection that is open, with what its certificate was last checked against. */
interface OpenConnection {
  socket: TLSSocket;
  host: string;
  openedAtMillis: number;
  /** On whose behalf it was used: servers of several names may share one host. */
  peers: Set<Domain>;
  trust: Trust;
  validates: boolean;
}

const httpsPort = 443;
const connectionsPerPeer = 4;
const idlePerPeer = 1;
const idleMillis = 50_000;
const reviewEveryMillis = 1_000;
const mostPeersOfOneConnection = 1_000;

/**
 * Owns every connection to a peer from its opening to its end. One is kept between requests, for less than a relay's own
 * idle time and no longer than its greatest age. Once a second, and before each use, each is held against what would be asked
 * of a new one: where the peer is no longer admitted, or its certificate would no longer pass, it is cut, requests included.
 */
export class PeerAgent extends Agent {
  readonly #deps: PeerAgentDeps;
  readonly #open = new Map<Duplex, OpenConnection>();
  readonly #review: NodeJS.Timeout;
  #closed = false;

  constructor(deps: PeerAgentDeps) {
    const kept = { keepAlive: true, maxSockets: connectionsPerPeer, maxFreeSockets: idlePerPeer, timeout: idleMillis };
    super({ ...kept, maxCachedSessions: 0 });
    this.#deps = deps;
    this.#review = setInterval(() => this.review(), reviewEveryMillis).unref();
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const to = { host: unbracketed(options.host ?? ""), port: Number(options.port ?? httpsPort) };
    // What it is checked by is noted before: a change meanwhile is found by the next review.
    const checkedBy = { trust: this.#deps.trust(), validates: this.#deps.validates() };
    connectToPeer(this.#deps, to).then(
      (socket) => {
        if (!this.#closed) return callback?.(null, this.#own({ ...checkedBy, socket, host: to.host }));
        socket.destroy();
        return callback?.(new PeerError("connection", "this server is stopping"), undefined as unknown as Duplex);
      },
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }

  /** Asked by Node.js when a request has ended; typed as if it answered nothing. */
  override keepSocketAlive(socket: Duplex): boolean {
    const kept = super.keepSocketAlive(socket) as unknown;
    const open = this.#open.get(socket);
    return kept !== false && open !== undefined && !this.#isTooOld(open);
  }

  /** Notes on whose behalf a connection is used. */
  usedFor(socket: Duplex, peer: Domain): void {
    this.#open.get(socket)?.peers.add(peer);
  }

  /** Cuts what a new connection would not be opened for, and idle ones that are too old; of one host, or of all. */
  review(host?: string): void {
    for (const open of this.#open.values()) {
      if (host !== undefined && open.host !== host) continue;
      const problem = this.#problemOf(open);
      if (problem !== undefined) open.socket.destroy(problem);
      else if (this.#isTooOld(open) && this.#isIdle(open)) open.socket.destroy();
    }
  }

  override destroy(): void {
    this.#closed = true;
    clearInterval(this.#review);
    super.destroy();
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #own(about: Pick<OpenConnection, "socket" | "host" | "trust" | "validates">): TLSSocket {
    const open = { ...about, openedAtMillis: this.#deps.clock.nowMillis(), peers: new Set<Domain>() };
    this.#open.set(about.socket, open);
    about.socket.once("close", () => this.#open.delete(about.socket));
    return about.socket;
  }

  #isTooOld({ openedAtMillis, peers }: OpenConnection): boolean {
    const age = this.#deps.clock.nowMillis() - openedAtMillis;
    return age >= this.#deps.config.federationConnectionMaxAgeSeconds * 1000 || peers.size >= mostPeersOfOneConnection;
  }

  #isIdle({ socket }: OpenConnection): boolean {
    return Object.values(this.freeSockets).some((sockets) => sockets?.includes(socket));
  }

  /** A request on its way fails by it, so it is not taken for a kept connection that the peer closed and sent again. */
  #problemOf(open: OpenConnection): PeerError | undefined {
    const { host, peers, socket } = open;
    const isAdmitted = [...peers].every((peer) => this.#deps.admits(peer));
    if (!isAdmitted) return new PeerError("connection", `${host} is no longer dealt with`);
    const [trust, validates] = [this.#deps.trust(), this.#deps.validates()];
    if (open.trust === trust && open.validates === validates) return undefined;
    Object.assign(open, { trust, validates });
    try {
      const problem = problemOfPeer(this.#deps, socket, host);
      return problem === undefined ? undefined : new PeerError("certificate", `${host}: ${problem}`);
    } catch (cause) {
      return new PeerError("certificate", `${host}: the certificate cannot be checked`, { cause });
    }
  }
}

export function unbracketed(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}
