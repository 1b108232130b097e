import { lstat, mkdir, readdir, rmdir, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Logger } from "../platform/logger.js";
import { mebibyte } from "../protocol/units.js";
import { FrameReader, frame } from "./packet-frames.js";

/** A transport to other nodes. Packets may be lost; a slower, reliable path covers that. */
export type NodeTransport = ReturnType<typeof createNodeSockets>;

/** Maximum bytes that wait for a node that does not read them. */
const pendingLimitBytes = 4 * mebibyte;
/** After a failed attempt the next one waits this long. */
const retryMillis = 2_000;
/** Maximum number of nodes of this machine that are remembered as unreachable. */
const unreachableLimit = 1_000;
/** The longest path that the kernel accepts for a socket. */
const pathLimitBytes = 103;
const backlog = 256;
const suffix = ".sock";

/**
 * Unix sockets between the nodes of one account on one machine. Each node listens in a folder that only its account can
 * enter, and this authenticates the nodes to each other; the socket's name is the node's id. If the folder cannot be
 * used, or a node has no socket in it, packets take another path.
 */
export function createNodeSockets(deps: {
  nodeId: string;
  received(packet: Buffer): void;
  logger: Logger;
  folder?: string;
}) {
  const { nodeId, logger } = deps;
  const folder = deps.folder ?? path.join(tmpdir(), `mls-relay-${process.getuid?.() ?? 0}`);
  const pathOf = (node: string): string => path.join(folder, `${node}${suffix}`);
  const accepted = new Set<Socket>();
  const outgoing = createOutgoing(pathOf);
  let server: Server | undefined;

  const accept = (socket: Socket): void => {
    accepted.add(socket);
    const reader = new FrameReader(deps.received);
    socket.on("data", (chunk) => {
      if (!reader.read(chunk)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => accepted.delete(socket));
  };

  return {
    async start(): Promise<void> {
      try {
        server = await listenIn(folder, pathOf(nodeId), accept);
        server.on("error", (error) => logger.warn({ err: error }, "the socket for other nodes failed"));
        await removeAbandoned(folder, `${nodeId}${suffix}`);
      } catch (error) {
        logger.info({ err: error }, "nodes of this machine reach this one by the database only");
      }
    },
    async stop(): Promise<void> {
      outgoing.stop();
      for (const socket of accepted) socket.destroy();
      await new Promise<void>((settle) => (server === undefined ? settle() : server.close(() => settle())));
      // Fails while other nodes' sockets are in it.
      await rmdir(folder).catch(() => undefined);
    },
    /**
     * Sends a packet if the connection to the node is open; otherwise returns false and may open it for the next packet.
     * With `mayWait` the packet waits while the connection is being opened. Never throws.
     */
    send: (node: string, packet: Buffer, mayWait = false): boolean =>
      server !== undefined && outgoing.send(node, packet, mayWait),
  };
}

function createOutgoing(pathOf: (nodeId: string) => string) {
  const connections = new Map<string, Socket>();
  const retryAt = new Map<string, number>();
  let stopped = false;

  const open = (nodeId: string): Socket | undefined => {
    if (stopped || performance.now() < (retryAt.get(nodeId) ?? 0)) return undefined;
    const socket = connect(pathOf(nodeId));
    connections.set(nodeId, socket);
    socket.on("error", () => {
      if (retryAt.size >= unreachableLimit) retryAt.clear();
      retryAt.set(nodeId, performance.now() + retryMillis);
    });
    socket.on("close", () => connections.delete(nodeId));
    socket.resume();
    return socket;
  };

  return {
    send(nodeId: string, packet: Buffer, mayWait: boolean): boolean {
      const socket = connections.get(nodeId) ?? open(nodeId);
      if (socket === undefined || socket.writableLength > pendingLimitBytes) return false;
      if (socket.readyState !== "open" && !(mayWait && socket.connecting)) return false;
      socket.write(frame(packet));
      return true;
    },
    stop(): void {
      stopped = true;
      for (const socket of connections.values()) socket.destroy();
    },
  };
}

/** Throws if others could enter the folder, or if the paths of its sockets would be too long. */
async function prepareFolder(folder: string, longest: string): Promise<void> {
  if (process.platform === "win32") throw new Error("there are no Unix sockets");
  if (Buffer.byteLength(longest) > pathLimitBytes) throw new Error("the path of the folder for sockets is too long");
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOwn) throw new Error("the folder for sockets belongs to another account, or others can enter it");
}

/** Another node that stops may remove the folder between its preparation and the listening; then try once more. */
async function listenIn(folder: string, at: string, accept: (socket: Socket) => void): Promise<Server> {
  await prepareFolder(folder, at);
  return listen(at, accept).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await prepareFolder(folder, at);
    return listen(at, accept);
  });
}

function listen(at: string, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((settle, fail) => {
    const server = createServer(accept);
    server.once("error", fail);
    server.listen({ path: at, backlog }, () => {
      server.removeListener("error", fail);
      settle(server);
    });
  });
}

/** Removes the sockets of nodes that died without removing them. */
async function removeAbandoned(folder: string, own: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix) && name !== own);
  await Promise.all(
    names.map(async (name) => {
      const at = path.join(folder, name);
      if (await isRefused(at)) await unlink(at).catch(() => undefined);
    }),
  );
}

function isRefused(at: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(at);
    socket.once("connect", () => {
      socket.destroy();
      settle(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code === "ECONNREFUSED"));
  });
}
