import type { Database } from "../../database/db.js";
import type { Notifications } from "../../database/pool/notifications.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import type { NodeLinks } from "../../node/node-links.js";
import type { Nodes } from "../../node/nodes.js";
import type { Logger } from "../../platform/logger.js";
import type { Arrival, OnlineArrival, QueuedMessage, StreamSink } from "../model/types.js";
import { createDetach } from "./detach.js";
import { createWakeUps } from "./notify.js";
import type { RemoteArrival } from "./packet.js";
import { createReconciliation } from "./reconcile.js";
import { createRegistry, type LocalStream } from "./registry.js";
import { createAttach } from "./stream-replacement.js";

/** Knows which streams are open on which node, and notifies them. */
export type Presence = ReturnType<typeof createPresence>;

/**
 * The row of a queue names the device's current stream. Committed messages go to the stream that the row named at the
 * time: directly if it is open on this node, over a link or by a notification if it is open on another. A replaced
 * stream is notified in the same way. The reconciliation poll makes up for lost notifications.
 */
export function createPresence(deps: {
  db: Database;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  links: Pick<NodeLinks, "send" | "sendOnce" | "listen">;
  rateLimiter: Pick<RateLimiter, "count">;
  logger: Logger;
  /** Whether the rows of a device are on a machine of the database that does not answer. */
  isDown(deviceId: string): boolean;
  /** Resolves once a failover of the database has been noticed. */
  noticeFailover(): Promise<void>;
  config: { streamSafetyPollSeconds: number; replacementsPerMinute: number };
}) {
  const { nodes, logger } = deps;
  const registry = createRegistry();
  const attach = createAttach({ ...deps, registry, notify, replaceElsewhere });
  const detach = createDetach(deps);
  const reconciliation = createReconciliation({ ...deps, registry, notify, replaced });
  const wakeUps = createWakeUps({
    ...deps,
    nodeId: nodes.nodeId,
    listener: { arrived: push, online, wake, replaced, missed },
  });

  function notify(stream: LocalStream, event: "wake" | "replaced" | RemoteArrival): void {
    try {
      if (typeof event === "string") stream.sink[event]();
      else stream.sink.arrived(event);
    } catch (error) {
      logger.error({ err: error }, "a stream could not be notified");
    }
  }
  function push(arrival: RemoteArrival): void {
    attach.note(arrival.deviceId);
    const stream = registry.get(arrival.deviceId);
    if (stream === undefined) return;
    stream.head = Math.max(stream.head, arrival.head);
    notify(stream, arrival);
  }
  function online({ deviceId, message }: Omit<OnlineArrival, "node">): void {
    const stream = registry.get(deviceId);
    if (stream === undefined) return;
    try {
      stream.sink.online(message);
    } catch (error) {
      logger.error({ err: error }, "a stream could not be notified");
    }
  }
  function wake(shortIds: readonly string[]): void {
    attach.noteAll();
    for (const short of shortIds) for (const stream of registry.byShortId(short)) notify(stream, "wake");
  }
  function replaced(streamId: string): void {
    const stream = registry.byStream(streamId);
    if (stream !== undefined && registry.remove(stream.deviceId, streamId)) notify(stream, "replaced");
  }
  function missed(): void {
    attach.noteAll();
    reconciliation.run();
  }
  function replaceElsewhere(node: string, streamId: string): void {
    wakeUps.replace(node, streamId);
  }

  return {
    start(): void {
      wakeUps.start();
      reconciliation.start();
    },
    async stop(): Promise<void> {
      await reconciliation.stop();
      for (const { deviceId, streamId } of registry.all()) {
        detach
          .detach(deviceId, streamId)
          .catch((error: unknown) => logger.warn({ err: error }, "a stream could not be detached"));
      }
      await detach.stop();
      wakeUps.stop();
    },
    attach: (deviceId: string, streamId: string, sink: StreamSink) => attach.attach(deviceId, streamId, sink),
    detach(deviceId: string, streamId: string): Promise<void> {
      registry.remove(deviceId, streamId);
      return detach.detach(deviceId, streamId);
    },
    /**
     * Pushes committed messages to the streams of this node, and sends the others to the nodes that have their streams.
     * Never throws.
     */
    arrived(arrivals: readonly Arrival[]): void {
      const elsewhere = arrivals.filter(({ node }) => node !== nodes.nodeId);
      if (elsewhere.length > 0) wakeUps.handOver(elsewhere);
      for (const arrival of arrivals) if (arrival.node === nodes.nodeId) push(arrival);
    },
    /** The same for online-only messages, which are lost if there is no link to the node. */
    pushOnline(arrivals: readonly OnlineArrival[]): void {
      const elsewhere = arrivals.filter(({ node }) => node !== nodes.nodeId);
      if (elsewhere.length > 0) wakeUps.handOverOnline(elsewhere);
      for (const arrival of arrivals) if (arrival.node === nodes.nodeId) online(arrival);
    },
    /**
     * Moves a stream's cursor past delivered messages and returns the earlier cursor; undefined if the stream is not
     * here.
     */
    moveCursor: (deviceId: string, streamId: string, messages: readonly QueuedMessage[]) =>
      moveCursor(registry.get(deviceId), streamId, messages),
  };
}

function moveCursor(
  stream: LocalStream | undefined,
  streamId: string,
  messages: readonly QueuedMessage[],
): number | undefined {
  if (stream?.streamId !== streamId) return undefined;
  const { delivered } = stream;
  stream.delivered = Math.max(delivered, messages.at(-1)?.position ?? 0);
  return delivered;
}
