import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TrustedProxies } from "../../platform/addresses/client-ip.js";
import { limitPerAddress } from "../../platform/net/connections-per-address.js";
import { bytesTaken } from "../../platform/net/socket-progress.js";

// Node bounds how long a request may take to arrive, but not how long its answer may take to leave: bytes that a client
// does not read would stay in memory for as long as it likes. So every connection with unread bytes is inspected several
// times within the longest time an answer may stall, and is closed where its client had read nothing at all of these
// inspections. Inspections are counted rather than time, so that a process that was busy for long does not blame its
// clients for it.

export interface ConnectionSettings {
  /** Open connections of one network address. */
  connectionsPerIp: number;
  /** The connection of an answer of which the client reads nothing for this long is closed. */
  answerStallSeconds: number;
  /** Bytes of answers that clients have not read yet. */
  answersInFlightBytes: number;
}

/** The connections of a listener, and the bytes of answers that wait on them. */
export interface Connections {
  /** To be called once, before the listener listens. */
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
 * Watches the connections of a listener for as long as it listens. A stream has bounds of its own, and is no longer watched
 * once it begins.
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
  /** The bytes that waited at the last inspection, and those that were added since. */
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

/** Connections whose clients have read nothing for longest go first; among equals, the one with the most unread bytes. */
function worstFirst([a, seenOfA]: [Socket, Seen], [b, seenOfB]: [Socket, Seen]): number {
  return seenOfB.idleInspections - seenOfA.idleInspections || b.writableLength - a.writableLength;
}
