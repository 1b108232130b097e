import type { ServerSettings } from "../../../settings/service.js";
import type { DeviceProfile } from "../../model/read-model.js";
import type { QueueDelta, QueueState } from "../../queue/counters-store.js";
import { byDevice } from "../../queue/lock-order.js";
import { type DeliveryEstimate, deliveryEstimate, type IsAlive } from "../model/delivery-estimate.js";
import { firstsOf, type LookedUp } from "../model/stages.js";

// The room that is left in the recipients' queues. As with the senders' windows, a flush first adds to queues as if
// every new message were accepted, decides based on what the database returns, and takes back the excess.

/** What decides how much room is left in a queue and whether its device has a stream. */
interface QueueRules {
  context: { settings: ServerSettings };
  isAlive: IsAlive;
}

/** The room left in a queue while messages are decided one after the other. */
export interface QueueRemaining {
  messages: number;
  bytes: number;
  nextPosition: number;
  estimate: DeliveryEstimate;
}

/** What a flush adds to queues, as if every new message were accepted. */
export interface Additions {
  /** In the order of device ids. */
  readonly byQueue: readonly QueueDelta[];
  readonly byDeviceId: ReadonlyMap<string, QueueDelta>;
  /** The messages that are added as new, including those for other servers. */
  readonly counted: readonly LookedUp[];
}

/** The rows of queues by device. */
export type Queues = ReadonlyMap<string, QueueState>;

/** Adds up the messages of each queue, as if every new message were accepted. */
export function additionsOf(messages: readonly LookedUp[], fresh: ReadonlySet<string>): Additions {
  const counted = firstsOf(messages, fresh);
  const byDeviceId = sumByQueue(counted);
  return { byQueue: [...byDeviceId.values()].sort(byDevice), byDeviceId, counted };
}

/** What to take back from queues in which only these messages finally take up room. */
export function refundsOf({ byQueue }: Additions, queued: readonly LookedUp[]): QueueDelta[] {
  const kept = sumByQueue(queued);
  return byQueue
    .map(({ deviceId, messages, bytes }) => {
      const { messages: keptMessages = 0, bytes: keptBytes = 0 } = kept.get(deviceId) ?? {};
      return { deviceId, messages: messages - keptMessages, bytes: bytes - keptBytes };
    })
    .filter(({ messages, bytes }) => messages !== 0 || bytes !== 0);
}

/** Messages for other servers have no recipient here and are skipped. */
function sumByQueue(messages: readonly LookedUp[]): Map<string, QueueDelta> {
  const sums = new Map<string, QueueDelta>();
  for (const { recipient, envelope } of messages) {
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

/** The room left in queues before the first message of a flush whose additions they already contain. */
export function remainingOfQueues(
  { additions, queues }: { additions: Additions; queues: Queues },
  rules: QueueRules,
): Map<string, QueueRemaining> {
  const remaining = new Map<string, QueueRemaining>();
  for (const { recipient } of additions.counted) {
    const state = queues.get(recipient?.device_id ?? "");
    const added = additions.byDeviceId.get(recipient?.device_id ?? "");
    if (!recipient || !state || !added || remaining.has(recipient.device_id)) continue;
    remaining.set(recipient.device_id, remainingOf(recipient, without(state, added), rules));
  }
  return remaining;
}

/** The room left in queues that were only read. */
export function remainingOfQueuesAsRead(
  messages: readonly LookedUp[],
  queues: Queues,
  rules: QueueRules,
): Map<string, QueueRemaining> {
  const remaining = new Map<string, QueueRemaining>();
  for (const { recipient } of messages) {
    const state = queues.get(recipient?.device_id ?? "");
    if (recipient && state) remaining.set(recipient.device_id, remainingOf(recipient, state, rules));
  }
  return remaining;
}

function without(state: QueueState, added: QueueDelta): QueueState {
  return {
    ...state,
    last_position: state.last_position - added.messages,
    queued_messages: state.queued_messages - added.messages,
    queued_bytes: state.queued_bytes - added.bytes,
  };
}

/** The lower of the server's and the device's limit applies. */
function remainingOf(recipient: DeviceProfile, state: QueueState, { context, isAlive }: QueueRules): QueueRemaining {
  const { message_queue_limit: limit, message_queue_bytes_limit: bytesLimit } = context.settings.storage;
  return {
    messages: Math.min(limit, recipient.offline_message_limit ?? limit) - state.queued_messages,
    bytes: bytesLimit - state.queued_bytes,
    nextPosition: state.last_position + 1,
    estimate: deliveryEstimate(recipient, state, isAlive),
  };
}
