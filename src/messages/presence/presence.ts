import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Nodes } from "../../platform/cluster/nodes.js";
import type { Notifications } from "../../platform/database/notifications.js";
import type { Logger } from "../../platform/logger.js";
import type { Arrival } from "../ingest/flush.js";
import type { StreamSink } from "../mailbox.js";
import type { QueuedMessage } from "../types.js";
import { createAttach, createDetach } from "./attach.js";
import { createWakeUps } from "./notify.js";
import { createReconciliation } from "./reconcile.js";
import { createRegistry, type LocalStream } from "./registry.js";

/** Which streams are open where, and what they are told. */
export interface Presence {
  start(): void;
  stop(): Promise<void>;
  attach(deviceId: string, streamId: string, sink: StreamSink): Promise<{ headPosition: number }>;
  detach(deviceId: string, streamId: string): Promise<void>;
  /** Pushes what was committed to the streams of this node and wakes those of others. Never throws. */
  arrived(arrivals: readonly Arrival[]): void;
  /** The stream's cursor before these messages were handed out, which moves behind them; undefined if it is not here. */
  moveCursor(deviceId: string, streamId: string, messages: readonly QueuedMessage[]): number | undefined;
}

export interface PresenceDeps {
  db: Knex;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  logger: Logger;
  config: { streamSafetyPollSeconds: number; replacementsPerMinute: number };
}

/**
 * The row in the database decides which stream is the device's one. What is committed is told to the stream that the row
 * named then: at once where it is open here, by a hint where it is open on another node. A stream that was replaced is
 * told by its own node, likewise. Where a hint is lost, the safety net finds it.
 */
export function createPresence(deps: PresenceDeps): Presence {
  const { nodes, logger } = deps;
  const registry = createRegistry();
  const attach = createAttach({ ...deps, registry, tell, replaceElsewhere });
  const detach = createDetach(deps);
  const reconciliation = createReconciliation({ ...deps, registry, tell, replaced });
  const wakeUps = createWakeUps({ ...deps, nodeId: nodes.nodeId, listener: { wake, replaced, missed } });

  function tell(stream: LocalStream, news: "wake" | "replaced" | Arrival): void {
    try {
      if (typeof news === "string") stream.sink[news]();
      else stream.sink.arrived(news);
    } catch (error) {
      logger.error({ err: error }, "a stream could not be told");
    }
  }
  function push(arrival: Arrival): void {
    attach.note(arrival.deviceId);
    const stream = registry.get(arrival.deviceId);
    if (stream === undefined) return;
    stream.head = Math.max(stream.head, arrival.head);
    tell(stream, arrival);
  }
  function wake(shortIds: readonly string[]): void {
    attach.noteAll();
    for (const short of shortIds) for (const stream of registry.byShortId(short)) tell(stream, "wake");
  }
  function replaced(streamId: string): void {
    const stream = registry.byStream(streamId);
    if (stream !== undefined && registry.remove(stream.deviceId, streamId)) tell(stream, "replaced");
  }
  function missed(): void {
    attach.noteAll();
    reconciliation.look();
  }
  function replaceElsewhere(node: string, streamId: string): void {
    wakeUps.replace(node, streamId);
  }

  return {
    start() {
      wakeUps.start();
      reconciliation.start();
    },
    async stop() {
      await reconciliation.stop();
      for (const { deviceId, streamId } of registry.all()) {
        detach
          .detach(deviceId, streamId)
          .catch((error: unknown) => logger.warn({ err: error }, "a stream stays named"));
      }
      await detach.stop();
      wakeUps.stop();
    },
    attach: (deviceId, streamId, sink) => attach.attach(deviceId, streamId, sink),
    detach(deviceId, streamId) {
      registry.remove(deviceId, streamId);
      return detach.detach(deviceId, streamId);
    },
    arrived(arrivals) {
      for (const arrival of arrivals) {
        if (arrival.node === nodes.nodeId) push(arrival);
        else wakeUps.wake(arrival.node, arrival.deviceId);
      }
    },
    moveCursor: (deviceId, streamId, messages) => moveCursor(registry.get(deviceId), streamId, messages),
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
