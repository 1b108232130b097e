import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TrustedProxies } from "../../platform/addresses/client-ip.js";
import { limitPerAddress } from "../../platform/net/connections-per-address.js";
import { bytesTaken } from "../../platform/net/socket-progress.js";

// Node bounds how long a request may take to arrive, but not how long its answer may take to leave: bytes that a client
// does not read would stay in memory for as long as it likes. So every connection with unread bytes is inspected
// several times within the longest time an answer may stall, and is closed if its client had read nothing at any of
// these inspections. Inspections are counted instead of time, so that clients are not blamed for a process that was
// busy.

export interface ConnectionSettings {
  /** Maximum number of open connections of one network address. */
  connectionsPerIp: number;
  /** A connection is closed if its client reads nothing of an answer for this long. */
  answerStallSeconds: number;
  /** Maximum bytes of answers that clients have not yet read. */
  answersInFlightBytes: number;
}

/** The connections of a listener, and the bytes of answers waiting on them. */
export interface Connections {
  /** Call once, before the listener starts to listen. */
  watch(server: Server): void;
  /** Counts a long answer, so that the bound holds between two inspections. */
  added(bytes: number): void;
}

/** The state of a connection at the last inspection. */
interface Seen {
  taken: number;
  /** Inspections in a row at which bytes waited and none had been read. */
  idleInspections: number;
}

const inspectionsPerStall = 10;

/**
 * Watches the connections of a listener while it listens. A stream has separate bounds and is no longer watched once it
 * begins.
 */
export function createConnections(settings: ConnectionSettings, trustedProxies: TrustedProxies): Connections {
  const open = new Map<Socket, Seen>();
  const unread = createUnreadBytes(open, settings.answersInFlightBytes);
  return {
    added: unread.added,
    watch(server) {
      limitPerAddress(server, settings.connectionsPerIp, trustedProxies);
      server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
        open.set(socket, { taken: 0, idleInspections: 0 });
        socket.once("close", () => open.delete(socket));
      });
      server.on("upgrade", (_request, socket: Duplex) => open.delete(socket as Socket));
      inspectWhileListening(server, unread.inspect, (settings.answerStallSeconds * 1000) / inspectionsPerStall);
    },
  };
}

function inspectWhileListening(server: Server, inspect: () => void, everyMillis: number): void {
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(inspect, everyMillis);
  });
  server.on("close", () => clearInterval(timer));
}

function createUnreadBytes(
  open: ReadonlyMap<Socket, Seen>,
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
      for (const [socket, seen] of open) {
        const taken = bytesTaken(socket);
        seen.idleInspections = socket.writableLength > 0 && taken === seen.taken ? seen.idleInspections + 1 : 0;
        seen.taken = taken;
        if (seen.idleInspections >= inspectionsPerStall) socket.destroy();
      }
      makeRoom();
    },
  };
}

/**
 * Connections whose clients have read nothing for the longest time go first; among equals, the one with the most unread
 * bytes.
 */
function worstFirst([a, seenOfA]: [Socket, Seen], [b, seenOfB]: [Socket, Seen]): number {
  return seenOfB.idleInspections - seenOfA.idleInspections || b.writableLength - a.writableLength;
}
