import type { Msg } from "@nats-io/transport-node";
import type { Logger } from "../platform/logger.js";
import { createBusConnection } from "./bus-connection.js";
import type { Clock } from "./clock.js";
import type { NodeTransport } from "./node-sockets.js";
import { createPacketSeal, type PacketSeal } from "./sealed-packets.js";

/** A NATS server over which nodes on several machines send each other packets. */
interface WakeUpBus extends NodeTransport {
  /** Since when the node has been without the bus, in Unix seconds; 0 while it is connected. */
  goneSince(): number;
}

/** A node that does not listen on the bus is not tried again for this long. */
const absentMillis = 2_000;
/** Packets sent to a node within this time before the connection broke may be lost. */
const recentMillis = 10_000;
const noResponders = 503;
const headBytes = 256;

/**
 * Each node subscribes to one subject below a prefix that contains the domain. No packet is essential: if one is lost,
 * the message waits until the recipient's node polls its queues. The server reports a subject without subscribers;
 * `lost` is called for that node, and for nodes to which packets were in flight when the connection broke.
 */
export function createWakeUpBus(deps: WakeUpBusDeps): WakeUpBus {
  const { nodeId } = deps;
  const subjects = subjectsOf(deps.domain);
  const absentUntil = new Map<string, number>();
  let seal: PacketSeal | undefined;
  const state = createBusState(deps);
  const connection = createBusConnection({
    url: deps.url,
    subscribe(nats) {
      nats.subscribe(subjects.packets(nodeId), { callback: receive });
      nats.subscribe(subjects.reports(nodeId, "*"), { callback: report });
    },
    opened: state.opened,
    gone: state.gone,
  });

  const receive = (error: Error | null, message: Msg): void => {
    const packet = error === null && seal !== undefined ? openOrWarn(seal, message) : undefined;
    if (packet !== undefined) deps.received(packet);
  };
  const openOrWarn = (opener: PacketSeal, { data }: Msg): Buffer | undefined => {
    try {
      return opener.open(Buffer.from(data));
    } catch {
      deps.logger.warn("a packet on the wake-up bus was not sealed by a node of this database");
      return undefined;
    }
  };
  const report = (error: Error | null, message: Msg): void => {
    if (error !== null || message.headers?.code !== noResponders) return;
    const node = message.subject.slice(subjects.reports(nodeId, "").length);
    absentUntil.set(node, performance.now() + absentMillis);
    deps.lost(node);
  };

  return {
    goneSince: state.goneSince,
    async start() {
      seal = createPacketSeal({ nodeId, secret: await deps.secret() });
      connection.start();
    },
    stop: connection.stop,
    send(node, packet) {
      const nats = connection.current();
      const isReachable = nats !== undefined && performance.now() >= (absentUntil.get(node) ?? 0);
      if (!isReachable || seal === undefined) return false;
      if (packet.length + headBytes > (nats.info?.max_payload ?? 0)) return false;
      try {
        nats.publish(subjects.packets(node), seal.seal(packet, node), { reply: subjects.reports(nodeId, node) });
      } catch {
        return false;
      }
      state.sent(node);
      return true;
    },
  };
}

interface WakeUpBusDeps {
  url: string;
  domain: string;
  nodeId: string;
  secret(): Promise<Uint8Array>;
  received(packet: Buffer): void;
  /** Packets to this node may have been lost. */
  lost(nodeId: string): void;
  /** Packets from other nodes to this one may have been lost. */
  missed(): void;
  clock: Clock;
  logger: Logger;
}

/** Since when the bus has been gone, and which packets may have been lost with it. */
function createBusState({ clock, logger, lost, missed }: Pick<WakeUpBusDeps, "clock" | "logger" | "lost" | "missed">) {
  const sentAt = new Map<string, number>();
  let goneSince = 0;
  return {
    goneSince: () => goneSince,
    sent: (node: string) => void sentAt.set(node, performance.now()),
    opened(): void {
      if (goneSince > 0) logger.info("the wake-up bus is back");
      goneSince = 0;
      missed();
    },
    gone(error: unknown): void {
      if (goneSince > 0) return;
      logger.warn({ err: error }, "the wake-up bus is gone: nodes notify each other by the database");
      goneSince = clock.nowSeconds();
      const recent = performance.now() - recentMillis;
      for (const [node, at] of sentAt) if (at > recent) lost(node);
      sentAt.clear();
      missed();
    },
  };
}

/** A domain is one token of a subject, so that an account can be limited to the subjects of one domain. */
function subjectsOf(domain: string) {
  const prefix = `mls-relay.${domain.replaceAll(/[^a-z0-9-]/g, "_")}`;
  return {
    packets: (nodeId: string) => `${prefix}.node.${nodeId}`,
    reports: (nodeId: string, about: string) => `${prefix}.reports.${nodeId}.${about}`,
  };
}
