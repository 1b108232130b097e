import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Nodes } from "../platform/nodes.js";
import { RelayError } from "../protocol/errors.js";
import { createMailboxes } from "./intake-store.js";
import { type Attachment, attachStream, type Presence } from "./presence-store.js";
import type { LocalStream, Registry } from "./registry.js";
import type { StreamSink } from "./service.js";
import { createTurns } from "./turns.js";

/** Makes streams their devices' ones. */
export interface Attaching {
  /** Throws RATE_LIMIT_EXCEEDED where the device replaced its streams too often, DEVICE_NOT_ANNOUNCED where it is gone. */
  attach(deviceId: string, streamId: string, sink: StreamSink): Promise<{ headPosition: number }>;
  /** Something was committed for the device. */
  note(deviceId: string): void;
  /** Something may have been committed for any device. */
  noteAll(): void;
}

const secondsPerMinute = 60;
const attachmentsWaitingPerDevice = 16;

/**
 * The database may name a stream before this node has heard the answer, and what is committed in between would be told
 * to nobody. So whatever is told of a device meanwhile is noted, and the stream wakes as soon as it is attached. The
 * attachments of one device run one after the other, so that the one the database names last is the one kept here.
 */
export function createAttaching(needs: {
  db: Knex;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId">;
  registry: Registry;
  limits: { replacementsPerMinute: number };
  tell(stream: LocalStream, news: "wake" | "replaced"): void;
  replaceElsewhere(node: string, streamId: string): void;
}): Attaching {
  const { db, clock, nodes, registry, tell } = needs;
  const turns = createTurns({ mostWaiting: attachmentsWaitingPerDevice });
  const pending = new Map<string, { noted: boolean }>();

  const takeOver = async (presence: Presence): Promise<Attachment> => {
    const limit = needs.limits.replacementsPerMinute;
    const rule = { now: clock.nowSeconds(), windowSeconds: secondsPerMinute, limit };
    let found = await attachStream(db, presence, rule);
    if (found === undefined) {
      await createMailboxes(db, [presence.deviceId]);
      found = await attachStream(db, presence, rule);
    }
    if (found === undefined) throw new RelayError("DEVICE_NOT_ANNOUNCED", "the device is not registered any more");
    if ("headPosition" in found) return found;
    const extras = { retry_after: found.refusedForSeconds };
    throw new RelayError("RATE_LIMIT_EXCEEDED", "the device's stream was replaced too often", { extras });
  };
  const attachNext = async (presence: Presence, sink: StreamSink): Promise<{ headPosition: number }> => {
    const { deviceId, streamId } = presence;
    const meanwhile = { noted: false };
    pending.set(deviceId, meanwhile);
    try {
      const { headPosition, handedOut, replaced } = await takeOver(presence);
      const stream: LocalStream = { deviceId, streamId, sink, head: headPosition, handedOut };
      const before = registry.put(stream);
      if (before !== undefined) tell(before, "replaced");
      if (replaced !== undefined && replaced.node !== nodes.nodeId) {
        needs.replaceElsewhere(replaced.node, replaced.streamId);
      }
      if (meanwhile.noted) tell(stream, "wake");
      return { headPosition };
    } finally {
      pending.delete(deviceId);
    }
  };

  return {
    attach: (deviceId, streamId, sink) =>
      turns.take(deviceId, () => attachNext({ deviceId, streamId, node: nodes.nodeId }, sink)),
    note(deviceId) {
      const meanwhile = pending.get(deviceId);
      if (meanwhile !== undefined) meanwhile.noted = true;
    },
    noteAll() {
      for (const meanwhile of pending.values()) meanwhile.noted = true;
    },
  };
}
