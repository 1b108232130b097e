import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TrustedProxies } from "../../platform/addresses/client-ip.js";
import { limitPerAddress } from "../../platform/net/connections-per-address.js";
import { inspectEveryMillis, Pace, type PaceRules } from "../../platform/net/pace.js";
import { waitsForAnswer } from "../../platform/net/pipelining.js";
import { bytesTaken } from "../../platform/net/socket-progress.js";

// Node bounds how long a request may take to arrive, but not how long its answer may take to leave: bytes that a client
// does not read would stay in memory for as long as it likes. So the pace of every connection with unread bytes is
// inspected, and a connection is closed if its client reads too slowly.

export interface ConnectionSettings {
  /** Maximum number of open connections of one network address. */
  connectionsPerIp: number;
  connectionsPerNode: number;
  /** How many times the limit of an IPv6 /64 applies to its /48. */
  ipv6SiteFactor: number;
  /** A connection is closed if its client reads nothing of an answer for this long, or less than the least rate. */
  answerStallSeconds: number;
  slowestBytesPerSecond: number;
  /** Maximum bytes of answers that clients have not yet read. */
  answersInFlightBytes: number;
}

/** The connections of a listener, and the bytes of answers waiting on them. */
export type Connections = ReturnType<typeof createConnections>;

/**
 * Watches the connections of a listener while it listens. A stream has separate bounds and is no longer watched once it
 * begins.
 */
export function createConnections(settings: ConnectionSettings, trustedProxies: TrustedProxies) {
  /** The pace of each connection with unread bytes; null if there are none. */
  const open = new Map<Socket, Pace | null>();
  const strangers = new Set<Socket>();
  const rules = { silenceSeconds: settings.answerStallSeconds, leastBytesPerSecond: settings.slowestBytesPerSecond };
  const unread = createUnreadBytes(open, rules, settings.answersInFlightBytes);
  const forget = (socket: Socket): void => {
    open.delete(socket);
    strangers.delete(socket);
  };
  return {
    /** Counts a long answer, so that the bound holds between two inspections. */
    added: unread.added,
    /** A request with a valid token has come on this connection. */
    authenticated: (socket: Socket): void => void strangers.delete(socket),
    /** Call once, before the listener starts to listen. */
    watch(server: Server): void {
      limitPerAddress(
        server,
        { limit: settings.connectionsPerIp, siteFactor: settings.ipv6SiteFactor },
        trustedProxies,
      );
      server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
        open.set(socket, null);
        strangers.add(socket);
        socket.once("close", () => forget(socket));
      });
      keepPlaceFree(server, [strangers, open], settings.connectionsPerNode);
      server.on("upgrade", (_request, socket: Duplex) => forget(socket as Socket));
      inspectWhileListening(server, unread.inspect, inspectEveryMillis(rules));
    },
  };
}

/**
 * Closes the oldest connection that waits for no answer when the last place of the node is taken, so that nobody keeps all others
 * out with connections that do nothing.
 *
 * @param candidates in each, the oldest come first; those of the first are closed before any of the next
 */
function keepPlaceFree(server: Server, candidates: readonly { keys(): Iterable<Socket> }[], places: number): void {
  let taken = 0;
  server.on("connection", (socket: Socket) => {
    taken += 1;
    socket.once("close", () => {
      taken -= 1;
    });
    if (taken < places) return;
    for (const sockets of candidates) {
      for (const oldest of sockets.keys()) {
        if (oldest === socket || waitsForAnswer(oldest)) continue;
        oldest.destroy();
        return;
      }
    }
  });
}

function inspectWhileListening(server: Server, inspect: () => void, everyMillis: number): void {
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(inspect, everyMillis);
  });
  server.on("close", () => clearInterval(timer));
}

function createUnreadBytes(
  open: Map<Socket, Pace | null>,
  rules: PaceRules,
  limit: number,
): { added(bytes: number): void; inspect(): void } {
  /** The bytes that waited at the last inspection, plus the bytes added since. */
  let estimate = 0;

  const makeRoom = (): void => {
    const waiting = [...open].filter(([socket]) => socket.writableLength > 0);
    estimate = waiting.reduce((sum, [socket]) => sum + socket.writableLength, 0);
    if (estimate <= limit) return;
    for (const [socket] of waiting.sort(worstFirst)) {
      if (estimate <= limit) break;
      estimate -= socket.writableLength;
      socket.destroy();
    }
  };

  return {
    added(bytes) {
      estimate += bytes;
      if (estimate > limit) makeRoom();
    },
    inspect() {
      for (const [socket, pace] of open) {
        const taken = bytesTaken(socket);
        if (socket.writableLength === 0) open.set(socket, null);
        else if (pace === null) open.set(socket, new Pace(rules, taken));
        else if (pace.inspect(taken)) socket.destroy();
      }
      makeRoom();
    },
  };
}

/**
 * Connections whose clients have read nothing for the longest time go first; among equals, the one with the most unread
 * bytes.
 */
function worstFirst([a, paceOfA]: [Socket, Pace | null], [b, paceOfB]: [Socket, Pace | null]): number {
  return (paceOfB?.silentInspections ?? 0) - (paceOfA?.silentInspections ?? 0) || b.writableLength - a.writableLength;
}
