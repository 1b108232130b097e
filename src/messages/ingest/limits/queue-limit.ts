import type { ServerSettings } from "../../../settings/service.js";
import type { DeviceProfile } from "../../model/read-model.js";
import type { QueueDelta, QueueState } from "../../queue/counters-store.js";
import { byDevice } from "../../queue/lock-order.js";
import { firstsOf, type Item, isRemote } from "../model/item.js";

// The room that is left in the recipients' queues. As with the senders' windows, a flush first adds to queues as if
// every new message were accepted, decides based on what the database returns, and takes back the excess.

/** Whether a stream on that node is open, which is the case while the node is alive. */
export type IsAlive = (nodeId: string) => boolean;

/** What decides how much room is left in a queue and whether its device has a stream. */
interface QueueRules {
  context: { settings: ServerSettings };
  isAlive: IsAlive;
}

/** The room left in a queue while items are decided one after the other. */
export interface QueueRemaining {
  messages: number;
  bytes: number;
  nextPosition: number;
  estimate: "immediate" | "delayed";
}

/** What a flush adds to queues, and what they hold afterwards. */
export interface Deltas {
  /** In the order of device ids. */
  additions: QueueDelta[];
  byDeviceId: ReadonlyMap<string, QueueDelta>;
  /** Items that were added as new messages. */
  counted: Item[];
  /** The queues with the additions. Filled once the additions are in the database. */
  states: Map<string, QueueState>;
}

/** Adds up the items of each queue, as if every new message were accepted. */
export function deltasOf(items: readonly Item[], fresh: ReadonlySet<string>): Deltas {
  const counted = firstsOf(items, fresh);
  const byDeviceId = sumByQueue(counted.filter((item) => !isRemote(item)));
  return { additions: [...byDeviceId.values()].sort(byDevice), byDeviceId, counted, states: new Map() };
}

/** What to take back from queues in which only these items finally take up room. */
export function refundsOf({ additions }: Deltas, queued: readonly Item[]): QueueDelta[] {
  const kept = sumByQueue(queued);
  return additions
    .map(({ deviceId, messages, bytes }) => {
      const { messages: keptMessages = 0, bytes: keptBytes = 0 } = kept.get(deviceId) ?? {};
      return { deviceId, messages: messages - keptMessages, bytes: bytes - keptBytes };
    })
    .filter(({ messages, bytes }) => messages !== 0 || bytes !== 0);
}

function sumByQueue(items: readonly Item[]): Map<string, QueueDelta> {
  const sums = new Map<string, QueueDelta>();
  for (const { recipient, envelope } of items) {
    if (recipient === undefined) continue;
    const { device_id: deviceId } = recipient;
    let sum = sums.get(deviceId);
    if (sum === undefined) {
      sum = { deviceId, messages: 0, bytes: 0 };
      sums.set(deviceId, sum);
    }
    sum.messages += 1;
    sum.bytes += envelope.ciphertext.length;
  }
  return sums;
}

/** The room left in queues before the first item of a flush whose additions they already contain. */
export function remainingOfQueues(deltas: Deltas, { context, isAlive }: QueueRules): Map<string, QueueRemaining> {
  const queues = new Map<string, QueueRemaining>();
  for (const { recipient } of deltas.counted) {
    const state = deltas.states.get(recipient?.device_id ?? "");
    const added = deltas.byDeviceId.get(recipient?.device_id ?? "");
    if (!recipient || !state || !added || queues.has(recipient.device_id)) continue;
    queues.set(recipient.device_id, remainingOf(recipient, without(state, added), { context, isAlive }));
  }
  return queues;
}

/** The room left in queues that were only read. */
export function remainingOfQueuesAsRead(
  items: readonly Item[],
  states: ReadonlyMap<string, QueueState>,
  { context, isAlive }: QueueRules,
): Map<string, QueueRemaining> {
  const queues = new Map<string, QueueRemaining>();
  for (const { recipient } of items) {
    const state = states.get(recipient?.device_id ?? "");
    if (recipient && state) queues.set(recipient.device_id, remainingOf(recipient, state, { context, isAlive }));
  }
  return queues;
}

function without(state: QueueState, added: QueueDelta): QueueState {
  return {
    ...state,
    last_position: state.last_position - added.messages,
    queued_messages: state.queued_messages - added.messages,
    queued_bytes: state.queued_bytes - added.bytes,
  };
}

/** The lower of the server's and the device's limit applies. A device that hides its presence is never `immediate`. */
function remainingOf(recipient: DeviceProfile, state: QueueState, { context, isAlive }: QueueRules): QueueRemaining {
  const { message_queue_limit: limit, message_queue_bytes_limit: bytesLimit } = context.settings.storage;
  const present = state.stream_node !== null && isAlive(state.stream_node) && !recipient.hide_presence;
  return {
    messages: Math.min(limit, recipient.offline_message_limit ?? limit) - state.queued_messages,
    bytes: bytesLimit - state.queued_bytes,
    nextPosition: state.last_position + 1,
    estimate: present ? "immediate" : "delayed",
  };
}
