import { type ConnectionOptions, connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "../logger.js";
import type { Clock } from "./clock.js";
import type { NodeTransport } from "./node-sockets.js";
import { createPacketSeal, type PacketSeal } from "./sealed-packets.js";

/** A NATS server by which nodes on several machines hand each other packets. */
export interface WakeUpBus extends NodeTransport {
  /** Since when the node has been without the bus, in Unix seconds; 0 while it is connected. */
  goneSince(): number;
}

const connectTimeoutMillis = 5_000;
const retryMillis = 1_000;
/** A connection on which two pings in a row are not answered is given up. */
const pingMillis = 3_000;
const pingsUnanswered = 2;
/** A node that does not listen on the bus is not tried again for this long. */
const absentMillis = 2_000;
/** Packets to a node within this time before the connection broke may be lost. */
const recentMillis = 10_000;
const noResponders = 503;
const headBytes = 256;

/**
 * Each node subscribes to one subject of its own, below a prefix with the domain in it. What it says is never needed: a
 * packet that is lost costs the time until the recipient's node reads its queues by itself. The server reports a subject to
 * which nobody subscribes; that node, and those to which packets were under way when the connection broke, are `lost`.
 */
export function createWakeUpBus(deps: {
  /** nats:// or tls://, with an account and password or a token where the server asks for them. */
  url: string;
  domain: string;
  nodeId: string;
  secret(): Promise<Uint8Array>;
  received(packet: Buffer): void;
  /** Packets to this node may have been lost. */
  lost(nodeId: string): void;
  /** Packets of other nodes to this one may have been lost. */
  missed(): void;
  clock: Clock;
  logger: Logger;
}): WakeUpBus {
  const { nodeId, clock, logger } = deps;
  const subjects = subjectsOf(deps.domain);
  const absentUntil = new Map<string, number>();
  const sentAt = new Map<string, number>();
  let seal: PacketSeal | undefined;
  let connection: NatsConnection | undefined;
  let isOpen = false;
  let goneSince = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  let connecting: Promise<void> | undefined;

  const opened = (): void => {
    isOpen = true;
    if (goneSince > 0) logger.info("the wake-up bus is back");
    goneSince = 0;
    deps.missed();
  };
  const gone = (error?: unknown): void => {
    isOpen = false;
    if (goneSince === 0)
      logger.warn({ err: error }, "the wake-up bus is gone: nodes notify each other by the database");
    goneSince ||= clock.nowSeconds();
    const recent = performance.now() - recentMillis;
    for (const [node, at] of sentAt) if (at > recent) deps.lost(node);
    sentAt.clear();
    deps.missed();
  };
  const receive = (error: Error | null, message: Msg): void => {
    if (error !== null || seal === undefined) return;
    try {
      deps.received(seal.open(Buffer.from(message.data)));
    } catch {
      logger.warn("a packet on the wake-up bus was not sealed by a node of this database");
    }
  };
  const report = (error: Error | null, message: Msg): void => {
    if (error !== null || message.headers?.code !== noResponders) return;
    const node = message.subject.slice(subjects.reports(nodeId, "").length);
    absentUntil.set(node, performance.now() + absentMillis);
    deps.lost(node);
  };
  const follow = async (nats: NatsConnection): Promise<void> => {
    for await (const { type } of nats.status()) {
      if (type === "disconnect") gone();
      else if (type === "reconnect") opened();
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      const nats = await connect(optionsFor(deps.url));
      connection = nats;
      nats.subscribe(subjects.packets(nodeId), { callback: receive });
      nats.subscribe(subjects.reports(nodeId, "*"), { callback: report });
      await nats.flush();
      void follow(nats);
      void nats.closed().then((error) => {
        connection = undefined;
        if (stopped) return;
        gone(error);
        again();
      });
      opened();
    } catch (error) {
      if (goneSince === 0) gone(error);
      await connection?.close().catch(() => undefined);
      again();
    }
  };
  const again = (): void => {
    if (stopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      connecting = attempt();
    }, retryMillis);
  };

  return {
    goneSince: () => goneSince,
    async start() {
      seal = createPacketSeal({ nodeId, secret: await deps.secret() });
      connecting = attempt();
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await connecting;
      isOpen = false;
      await connection?.close().catch(() => undefined);
    },
    send(node, packet) {
      if (!isOpen || connection === undefined || seal === undefined) return false;
      if (performance.now() < (absentUntil.get(node) ?? 0)) return false;
      if (packet.length + headBytes > (connection.info?.max_payload ?? 0)) return false;
      try {
        connection.publish(subjects.packets(node), seal.seal(packet, node), { reply: subjects.reports(nodeId, node) });
        sentAt.set(node, performance.now());
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** A domain is one token of a subject, so that an account may be given the subjects of one domain only. */
function subjectsOf(domain: string) {
  const prefix = `mls-relay.${domain.replaceAll(/[^a-z0-9-]/g, "_")}`;
  return {
    packets: (nodeId: string) => `${prefix}.node.${nodeId}`,
    reports: (nodeId: string, about: string) => `${prefix}.reports.${nodeId}.${about}`,
  };
}

function optionsFor(text: string): ConnectionOptions {
  const url = new URL(text);
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const account = pass === "" ? { token: user } : { user, pass };
  return {
    servers: url.host,
    name: "mls-relay",
    timeout: connectTimeoutMillis,
    reconnectTimeWait: retryMillis,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    pingInterval: pingMillis,
    maxPingOut: pingsUnanswered,
    ...(user === "" ? {} : account),
    ...(url.protocol === "tls:" ? { tls: {} } : {}),
  };
}
