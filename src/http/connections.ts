import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isTrustedProxy, networkKey, type TrustedProxies } from "../platform/net/client-ip.js";
import { bytesTaken } from "../platform/net/socket-progress.js";

// Node bounds how long a request may take to arrive, and nothing about its answer: what a client does not read stays in
// memory for as long as it likes. So every connection with bytes on their way out is looked at several times within the
// longest time an answer may stand still, and is closed where at none of these looks its client had taken any. Looks are
// counted rather than time, so that a process that was busy for long does not take that for its clients' fault.

export interface ConnectionSettings {
  /** Open connections of one network address. */
  connectionsPerIp: number;
  /** An answer of which the client takes nothing for this long is closed. */
  answerStallSeconds: number;
  /** Bytes of answers that wait to be taken. */
  answersInFlightBytes: number;
}

/** The connections of a listener, and the bytes that are on their way out of them. */
export interface Connections {
  /** To be called once, before the listener listens. */
  watch(server: Server): void;
  /** Tells of a long answer, so that the bound holds between two looks. */
  added(bytes: number): void;
}

/** What was seen of a connection at the last look. */
interface Seen {
  taken: number;
  /** Looks in a row at which bytes waited and nothing had been taken. */
  idleLooks: number;
}

const looksPerStall = 10;

/**
 * Watches the connections of a listener, for as long as it listens. A stream is given up to its own bounds as it begins.
 * Behind a proxy all clients come from one address; those of trusted proxies are therefore not counted.
 */
export function createConnections(settings: ConnectionSettings, trustedProxies: TrustedProxies): Connections {
  const open = new Map<Socket, Seen>();
  const leaving = createLeaving(open, settings.answersInFlightBytes);
  return {
    added: leaving.added,
    watch(server) {
      limitPerAddress(server, settings.connectionsPerIp, trustedProxies);
      server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
        open.set(socket, { taken: 0, idleLooks: 0 });
        socket.once("close", () => open.delete(socket));
      });
      server.on("upgrade", (_request, socket: Duplex) => open.delete(socket as Socket));
      lookWhileListening(server, leaving.look, (settings.answerStallSeconds * 1000) / looksPerStall);
    },
  };
}

function lookWhileListening(server: Server, look: () => void, everyMillis: number): void {
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(look, everyMillis);
  });
  server.on("close", () => clearInterval(timer));
}

function createLeaving(open: ReadonlyMap<Socket, Seen>, limit: number): { added(bytes: number): void; look(): void } {
  /** What waited at the last look, and what was added since. */
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
    look() {
      for (const [socket, seen] of open) {
        const taken = bytesTaken(socket);
        seen.idleLooks = socket.writableLength > 0 && taken === seen.taken ? seen.idleLooks + 1 : 0;
        seen.taken = taken;
        if (seen.idleLooks >= looksPerStall) socket.destroy();
      }
      makeRoom();
    },
  };
}

/** Those whose clients have taken nothing for longest go first, of several the one that holds most. */
function worstFirst([a, seenOfA]: [Socket, Seen], [b, seenOfB]: [Socket, Seen]): number {
  return seenOfB.idleLooks - seenOfA.idleLooks || b.writableLength - a.writableLength;
}

function limitPerAddress(server: Server, limit: number, trustedProxies: TrustedProxies): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // Its client has gone already.
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrustedProxy(remoteAddress, trustedProxies)) return;
    const network = networkKey(remoteAddress);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > limit) return void socket.destroy();
    counts.set(network, count);
    socket.once("close", () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
}
