import { isRefused, type Outcome, type Refused } from "../types.js";
import { type Item, isOpen, isRemote, isUnknown, senderOf } from "./item.js";
import type { QueueRemaining } from "./queue-limits.js";
import { notifySenders, refuseMiss, refuseSend, type SenderRemaining, type WindowRules } from "./rate-limit.js";

// Items are decided one after the other, in the order in which they came, each against what those before it left:
// unknown recipient, repetition, the sender's limit, the room in the queue. Only a message that passes all of these counts.

/** What is left for items. `fresh` holds the keys that had not been seen before this flush. */
export interface Remaining {
  senders: ReadonlyMap<string, SenderRemaining>;
  queues: ReadonlyMap<string, QueueRemaining>;
  fresh: ReadonlySet<string>;
  rules: WindowRules;
}

/** Gives every item that has none its outcome. */
export function decide(items: readonly Item[], remaining: Remaining): void {
  const firsts = new Map<string, Item>();
  for (const item of items) {
    if (!isOpen(item)) continue;
    const first = firsts.get(item.key);
    if (first === undefined) firsts.set(item.key, item);
    item.outcome = decideOne(item, first, remaining);
  }
  notifySenders(items, remaining);
}

function decideOne(item: Item, first: Item | undefined, remaining: Remaining): Outcome {
  const sender = remaining.senders.get(senderOf(item) ?? "");
  item.used = undefined;
  if (isUnknown(item)) return countMiss(item, sender, remaining.rules) ?? unknownAddress;
  if (first?.outcome !== undefined && isRefused(first.outcome)) return first.outcome;
  const repeated = first !== undefined || !remaining.fresh.has(item.key);
  if (repeated) return countMiss(item, sender, remaining.rules) ?? duplicate;
  if (sender !== undefined && sender.sends < 1) return refuseSend(sender, remaining.rules);
  const outcome = isRemote(item) ? federated : enqueue(item, remaining);
  if (sender !== undefined && !isRefused(outcome)) {
    sender.sends -= 1;
    item.used = "sends";
  }
  return outcome;
}

/** Gives the message the next position of its queue. */
function enqueue(item: Item, { queues }: Remaining): Outcome {
  const queue = queues.get(item.recipient?.device_id ?? "");
  if (queue === undefined) return unknownAddress;
  const { length } = item.envelope.ciphertext;
  if (queue.messages < 1 || queue.bytes < length) return queueFull;
  queue.messages -= 1;
  queue.bytes -= length;
  item.position = queue.nextPosition;
  queue.nextPosition += 1;
  return { status: "queued", estimate: queue.estimate };
}

function countMiss(item: Item, sender: SenderRemaining | undefined, rules: WindowRules): Refused | undefined {
  if (sender === undefined) return undefined;
  if (sender.misses < 1) return refuseMiss(sender, rules);
  sender.misses -= 1;
  item.used = "misses";
  return undefined;
}

const duplicate: Outcome = { status: "duplicate", estimate: "delayed" };
const federated: Outcome = { status: "federated", estimate: "delayed" };
const unknownAddress: Refused = {
  error: "ADDRESS_NOT_FOUND",
  message: "the recipient address has no active mapping here",
};
const queueFull: Refused = { error: "QUEUE_FULL", message: "the recipient's queue is full" };
