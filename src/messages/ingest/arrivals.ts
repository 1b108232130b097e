import type { Arrival, QueuedMessage } from "../model/types.js";
import type { StoredFlush } from "./flush.js";
import type { IsAlive } from "./model/delivery-estimate.js";
import { type Decided, isQueued } from "./model/stages.js";
import { expiryOf } from "./retention.js";

// Whom a flush concerns after its commit: devices with an open stream, which are sent its messages, and devices
// without.

/** The stored messages of each device whose stream is open on a node. */
export function arrivalsOf({ context, additions, queues, decided }: StoredFlush): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { deviceId, messages: added } of additions.byQueue) {
    const state = queues.get(deviceId);
    if (added === 0 || !state?.stream_node) continue;
    const head = state.last_position;
    arrivals.set(deviceId, { deviceId, node: state.stream_node, from: head - added, head, messages: [] });
  }
  for (const one of decided.filter(isQueued)) {
    const deviceId = one.message.recipient?.device_id ?? "";
    const receivedAt = queues.get(deviceId)?.last_received_at ?? 0;
    arrivals
      .get(deviceId)
      ?.messages.push(queuedMessage(one, { receivedAt, expiresAt: expiryOf(one.message, context) }));
  }
  return [...arrivals.values()];
}

/** The devices whose queues have grown and that have no stream on a node that is alive. */
export function withoutStream({ additions, queues }: StoredFlush, isAlive: IsAlive): string[] {
  const sleeping: string[] = [];
  for (const { deviceId, messages: added } of additions.byQueue) {
    const node = queues.get(deviceId)?.stream_node ?? null;
    if (added > 0 && (node === null || !isAlive(node))) sleeping.push(deviceId);
  }
  return sleeping;
}

function queuedMessage(
  { message, position }: Decided,
  times: Pick<QueuedMessage, "receivedAt" | "expiresAt">,
): QueuedMessage {
  const { envelope, acceptedAtMillis } = message;
  const { messageId, ciphertext, senderSignature, timestamp, systemEvent } = envelope;
  return { position, messageId, ciphertext, senderSignature, timestamp, ...times, systemEvent, acceptedAtMillis };
}
