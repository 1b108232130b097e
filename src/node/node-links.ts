import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import type { Clock } from "./clock.js";
import type { NodeSettings } from "./config.js";
import { createNodeSockets, type NodeTransport } from "./node-sockets.js";
import { createWakeUpBus } from "./wake-up-bus.js";

/** How nodes send each other packets, besides the database. */
export type NodeLinks = ReturnType<typeof createNodeLinks>;

interface LinkListener {
  /**
   * A packet from a node of the same account on this machine, or from a node that reads the same secret in the
   * database.
   */
  received(packet: Buffer): void;
  /** Packets to this node may have been lost. */
  lost(nodeId: string): void;
  /** Packets from other nodes to this one may have been lost. */
  missed(): void;
}

/** Unix sockets to nodes on the same machine; the bus, if configured, to other nodes. */
export function createNodeLinks(deps: {
  nodeId: string;
  clock: Clock;
  logger: Logger;
  /** A secret that only the nodes of this database share. */
  secret(): Promise<Uint8Array>;
  config: Pick<NodeSettings, "wakeUpBus" | "nodeSockets"> & Pick<ServerConfig, "domain">;
}) {
  const { logger } = deps;
  const { wakeUpBus: url, nodeSockets, domain } = deps.config;
  let listener: LinkListener | undefined;
  const heard: LinkListener = {
    received(packet) {
      try {
        listener?.received(packet);
      } catch (error) {
        logger.warn({ err: error }, "what another node sent could not be read");
      }
    },
    lost: (nodeId) => listener?.lost(nodeId),
    missed: () => listener?.missed(),
  };
  const bus = url === null ? undefined : createWakeUpBus({ ...deps, ...heard, url, domain });
  const sockets = nodeSockets ? createNodeSockets({ ...deps, received: heard.received }) : undefined;
  const transports: NodeTransport[] = [sockets, bus].filter((transport) => transport !== undefined);

  return {
    async start(): Promise<void> {
      for (const transport of transports) await transport.start();
    },
    async stop(): Promise<void> {
      for (const transport of transports) await transport.stop();
    },
    /** Returns false if no connection to the node is open. A packet may be lost even if one is open. Never throws. */
    send: (nodeId: string, packet: Buffer): boolean => transports.some((transport) => transport.send(nodeId, packet)),
    /**
     * The same for a packet that no other path carries: if no connection is open, it waits while one is being opened. Returns
     * nothing, because the packet may be lost.
     */
    sendOnce(nodeId: string, packet: Buffer): void {
      if (!transports.some((transport) => transport.send(nodeId, packet))) sockets?.send(nodeId, packet, true);
    },
    listen(next: LinkListener): void {
      listener = next;
    },
    /**
     * Since when the node has been without its bus, in Unix seconds; 0 while it is connected, or if none is configured.
     */
    busGoneSince: (): number => bus?.goneSince() ?? 0,
  };
}
