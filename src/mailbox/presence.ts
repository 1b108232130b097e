import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import { inTransaction } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import type { Logger } from "../platform/logger.js";
import type { Nodes } from "../platform/nodes.js";
import { RelayError } from "../protocol/errors.js";
import type { QueuedMessage } from "./envelope.js";
import type { Arrival } from "./flush.js";
import { createGatherer } from "./gather.js";
import { createMailboxes, keepArrayOrder } from "./intake-store.js";
import { type Attachment, attachStream, detachStreams } from "./presence-store.js";
import { createRegistry, type LocalStream } from "./registry.js";
import { retrying } from "./retrying.js";
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

const secondsPerMinute = 60;

const detachBounds = {
  flushCount: 1_000,
  flushBytes: Number.POSITIVE_INFINITY,
  waitingCount: 1_000_000,
  waitingBytes: Number.POSITIVE_INFINITY,
  concurrent: 1,
};

/**
 * A stream is known to its node before the database knows of it, so that nothing committed in between is missed; what
 * arrives before the attachment is complete makes it wake once it is. The row in the database decides which stream is
 * the device's one. The stream that it replaces is told by its own node: at once if it is here, else by a hint, and by
 * the safety net if the hint is lost.
 */
export function createPresence(needs: PresenceNeeds): Presence {
  const { db, nodes, clock, logger } = needs;
  const registry = createRegistry();
  const safetyNet = createSafetyNet({ ...needs, registry, replaced });
  const wakeUps = createWakeUps({
    notifications: needs.notifications,
    nodeId: nodes.nodeId,
    listener: {
      wake: (shortIds) => {
        for (const short of shortIds) for (const stream of registry.byShortId(short)) tell(stream, "wake");
      },
      replaced: (streamId) => {
        const stream = registry.byStream(streamId);
        if (stream !== undefined) replaced(stream);
      },
      missed: () => safetyNet.look(),
    },
  });
  const detaching = createGatherer<{ deviceId: string; streamId: string }, true>({
    name: "streams",
    bounds: detachBounds,
    async flush(streams) {
      const inOrder = [...streams].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
      await retrying(() =>
        inTransaction(db, async (trx) => {
          await keepArrayOrder(trx);
          await detachStreams(trx, inOrder);
        }),
      );
      return streams.map(() => true);
    },
  });

  function tell(stream: LocalStream, news: "wake" | "replaced" | Arrival): void {
    if (stream.head === undefined && news !== "replaced") {
      stream.missed = true;
      return;
    }
    try {
      if (typeof news === "string") stream.sink[news]();
      else stream.sink.arrived(news);
    } catch (error) {
      logger.error({ err: error }, "a stream could not be told");
    }
  }

  function replaced(stream: LocalStream): void {
    if (registry.remove(stream.deviceId, stream.streamId)) tell(stream, "replaced");
  }

  function push(arrival: Arrival): void {
    const stream = registry.get(arrival.deviceId);
    if (stream === undefined) return;
    if (stream.head !== undefined) stream.head = Math.max(stream.head, arrival.head);
    const acceptedAtMillis = clock.nowMillis();
    const messages = arrival.messages.map((message) => ({ ...message, acceptedAtMillis }));
    tell(stream, { ...arrival, messages });
  }

  async function takeOver({ deviceId, streamId }: LocalStream): Promise<Attachment> {
    const presence = { deviceId, streamId, node: nodes.nodeId };
    const rule = {
      now: clock.nowSeconds(),
      windowSeconds: secondsPerMinute,
      limit: needs.limits.replacementsPerMinute,
    };
    let found = await attachStream(db, presence, rule);
    if (found === undefined) {
      await createMailboxes(db, [deviceId]);
      found = await attachStream(db, presence, rule);
    }
    if (found === undefined) throw new RelayError("DEVICE_NOT_ANNOUNCED", "the device is not registered any more");
    if ("headPosition" in found) return found;
    const extras = { retry_after: found.refusedForSeconds };
    throw new RelayError("RATE_LIMIT_EXCEEDED", "the device's stream was replaced too often", { extras });
  }

  function tellReplaced(before: LocalStream | undefined, old: Attachment["replaced"]): void {
    if (before !== undefined) tell(before, "replaced");
    if (old === undefined || old.node === nodes.nodeId || !nodes.isAlive(old.node)) return;
    wakeUps.replace(old.node, old.streamId);
  }

  return {
    start() {
      wakeUps.start();
      safetyNet.start();
    },
    async stop() {
      wakeUps.stop();
      await safetyNet.stop();
      for (const { deviceId, streamId } of registry.all()) void this.detach(deviceId, streamId);
      await detaching.stop();
    },
    async attach(deviceId, streamId, sink) {
      const stream: LocalStream = { deviceId, streamId, sink, head: undefined, handedOut: 0, missed: false };
      const before = registry.put(stream);
      try {
        const { headPosition, handedOut, replaced: old } = await takeOver(stream);
        stream.head = headPosition;
        stream.handedOut = handedOut;
        tellReplaced(before, old);
        if (stream.missed) tell(stream, "wake");
        return { headPosition };
      } catch (error) {
        if (registry.remove(deviceId, streamId) && before !== undefined) {
          registry.put(before);
          tell(before, "wake");
        }
        throw error;
      }
    },
    async detach(deviceId, streamId) {
      registry.remove(deviceId, streamId);
      await detaching.add({ deviceId, streamId }, { count: 1, bytes: 0 });
    },
    arrived(arrivals) {
      for (const arrival of arrivals) {
        if (arrival.node === nodes.nodeId) push(arrival);
        else wakeUps.wake(arrival.node, arrival.deviceId);
      }
    },
    moveCursor(deviceId, streamId, messages) {
      const stream = registry.get(deviceId);
      const last = messages.at(-1)?.position ?? 0;
      if (stream?.streamId !== streamId) return undefined;
      const { handedOut } = stream;
      stream.handedOut = Math.max(handedOut, last);
      return handedOut;
    },
  };
}
