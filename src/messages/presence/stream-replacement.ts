import type { Database, Db } from "../../database/db.js";
import { limitRequest } from "../../limits/limit-request.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Nodes } from "../../node/nodes.js";
import { createKeyedMutex } from "../../platform/concurrency/keyed-mutex.js";
import { RelayError } from "../../protocol/errors.js";
import type { StreamSink } from "../model/types.js";
import { createQueues } from "../queue/counters-store.js";
import { type AttachableQueue, lockQueue, recordStream, type StreamLocation } from "../queue/stream-store.js";
import type { LocalStream, Registry } from "./registry.js";

const attachmentsWaitingPerDevice = 16;

/**
 * A device has one stream: another one replaces it, at most `replacementsPerMinute` times a minute. The database may name a stream before this node has received the
 * answer, and nobody would be notified of messages committed in between. So a notification that arrives meanwhile is
 * recorded, and the stream is woken as soon as it is attached. The attachments of one device run one after the other,
 * so that the stream named last is the one kept here.
 */
export function createAttach(deps: {
  db: Database;
  rateLimiter: Pick<RateLimiter, "count">;
  nodes: Pick<Nodes, "nodeId">;
  registry: Registry;
  config: { replacementsPerMinute: number };
  notify(stream: LocalStream, event: "wake" | "replaced"): void;
  replaceElsewhere(node: string, streamId: string): void;
}) {
  const { db, nodes, registry, notify } = deps;
  const mutex = createKeyedMutex({ maxWaiting: attachmentsWaitingPerDevice });
  const pending = new Map<string, { noted: boolean }>();

  const takeOver = async (location: StreamLocation): Promise<AttachableQueue> => {
    const found = await db.transaction((trx) => attachIn(trx, location));
    if (found !== undefined) return found;
    await createQueues(db, [location.deviceId]);
    const second = await db.transaction((trx) => attachIn(trx, location));
    if (second !== undefined) return second;
    throw new RelayError("DEVICE_NOT_ANNOUNCED", "the device is not registered any more");
  };
  const attachIn = async (trx: Db, location: StreamLocation): Promise<AttachableQueue | undefined> => {
    const found = await lockQueue(trx, location.deviceId);
    if (found === undefined) return undefined;
    const limit = limitRequest("stream_replacements", { ids: [location.deviceId] }, deps.config);
    if (found.stream_id !== null) await deps.rateLimiter.count(trx, [limit]);
    await recordStream(trx, location);
    return found;
  };
  const attachNext = async (location: StreamLocation, sink: StreamSink): Promise<{ headPosition: number }> => {
    const { deviceId, streamId } = location;
    const meanwhile = { noted: false };
    pending.set(deviceId, meanwhile);
    try {
      const { last_position: head, delivery_cursor: delivered, stream_node, stream_id } = await takeOver(location);
      const stream: LocalStream = { deviceId, streamId, sink, head, delivered };
      const before = registry.put(stream);
      if (before !== undefined) notify(before, "replaced");
      if (stream_node !== null && stream_id !== null && stream_node !== nodes.nodeId) {
        deps.replaceElsewhere(stream_node, stream_id);
      }
      if (meanwhile.noted) notify(stream, "wake");
      return { headPosition: head };
    } finally {
      pending.delete(deviceId);
    }
  };

  return {
    /**
     * Throws RATE_LIMIT_EXCEEDED if the device replaced its streams too often, and DEVICE_NOT_ANNOUNCED if the device is
     * gone.
     */
    attach: (deviceId: string, streamId: string, sink: StreamSink): Promise<{ headPosition: number }> =>
      mutex.take(deviceId, () => attachNext({ deviceId, streamId, node: nodes.nodeId }, sink)),
    /** Messages were committed for the device. */
    note(deviceId: string): void {
      const meanwhile = pending.get(deviceId);
      if (meanwhile !== undefined) meanwhile.noted = true;
    },
    /** Messages may have been committed for any device. */
    noteAll(): void {
      for (const meanwhile of pending.values()) meanwhile.noted = true;
    },
  };
}
