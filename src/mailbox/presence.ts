import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Notifications } from "../platform/database/notifications.js";
import type { Logger } from "../platform/logger.js";
import type { Nodes } from "../platform/nodes.js";
import { createAttaching } from "./attaching.js";
import { createDetaching } from "./detaching.js";
import type { QueuedMessage } from "./envelope.js";
import type { Arrival } from "./flush.js";
import { createRegistry, type LocalStream } from "./registry.js";
import { createSafetyNet } from "./safety-net.js";
import type { StreamSink } from "./service.js";
import { createWakeUps } from "./wake-ups.js";

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

export interface PresenceNeeds {
  db: Knex;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  logger: Logger;
  limits: { streamSafetyPollSeconds: number; replacementsPerMinute: number };
}

/**
 * The row in the database decides which stream is the device's one. What is committed is told to the stream that the row
 * named then: at once where it is open here, by a hint where it is open on another node. A stream that was replaced is
 * told by its own node, likewise. Where a hint is lost, the safety net finds it.
 */
export function createPresence(needs: PresenceNeeds): Presence {
  const { nodes, logger } = needs;
  const registry = createRegistry();
  const attaching = createAttaching({ ...needs, registry, tell, replaceElsewhere });
  const detaching = createDetaching(needs);
  const safetyNet = createSafetyNet({ ...needs, registry, tell, replaced });
  const wakeUps = createWakeUps({ ...needs, nodeId: nodes.nodeId, listener: { wake, replaced, missed } });

  function tell(stream: LocalStream, news: "wake" | "replaced" | Arrival): void {
    try {
      if (typeof news === "string") stream.sink[news]();
      else stream.sink.arrived(news);
    } catch (error) {
      logger.error({ err: error }, "a stream could not be told");
    }
  }
  function push(arrival: Arrival): void {
    attaching.note(arrival.deviceId);
    const stream = registry.get(arrival.deviceId);
    if (stream === undefined) return;
    stream.head = Math.max(stream.head, arrival.head);
    tell(stream, arrival);
  }
  function wake(shortIds: readonly string[]): void {
    attaching.noteAll();
    for (const short of shortIds) for (const stream of registry.byShortId(short)) tell(stream, "wake");
  }
  function replaced(streamId: string): void {
    const stream = registry.byStream(streamId);
    if (stream !== undefined && registry.remove(stream.deviceId, streamId)) tell(stream, "replaced");
  }
  function missed(): void {
    attaching.noteAll();
    safetyNet.look();
  }
  function replaceElsewhere(node: string, streamId: string): void {
    wakeUps.replace(node, streamId);
  }

  return {
    start() {
      wakeUps.start();
      safetyNet.start();
    },
    async stop() {
      await safetyNet.stop();
      for (const { deviceId, streamId } of registry.all()) {
        detaching
          .detach(deviceId, streamId)
          .catch((error: unknown) => logger.warn({ err: error }, "a stream stays named"));
      }
      await detaching.stop();
      wakeUps.stop();
    },
    attach: (deviceId, streamId, sink) => attaching.attach(deviceId, streamId, sink),
    detach(deviceId, streamId) {
      registry.remove(deviceId, streamId);
      return detaching.detach(deviceId, streamId);
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
  const { handedOut } = stream;
  stream.handedOut = Math.max(handedOut, messages.at(-1)?.position ?? 0);
  return handedOut;
}
