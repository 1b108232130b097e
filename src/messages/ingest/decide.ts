import { isRefused, type Outcome, type Refused } from "../types.js";
import { type Item, isRemote, isUnknown } from "./item.js";
import { refuseMiss, refuseSend, type SenderAccount, type WindowRules } from "./rate-limit.js";

// Envelopes are judged one after the other, in the order in which they came, each against what those before it left:
// unknown recipient, repetition, the sender's limit, the room in the queue. Only a message that passes all of it counts.

/** What is left of a queue while envelopes are judged. */
export interface QueueAccount {
  messagesLeft: number;
  bytesLeft: number;
  nextPosition: number;
  estimate: "immediate" | "delayed";
}

/** What the items are judged against. `fresh` holds the keys that had not been seen before this flush. */
export interface Accounts {
  senders: ReadonlyMap<string, SenderAccount>;
  queues: ReadonlyMap<string, QueueAccount>;
  fresh: ReadonlySet<string>;
  rules: WindowRules;
}

/** Gives every item that has none its outcome. */
export function decide(items: readonly Item[], accounts: Accounts): void {
  const firsts = new Map<string, Item>();
  for (const item of items) {
    if (item.outcome !== undefined) continue;
    const first = firsts.get(item.key);
    if (first === undefined) firsts.set(item.key, item);
    item.outcome = decideOne(item, first, accounts);
  }
}

function decideOne(item: Item, first: Item | undefined, accounts: Accounts): Outcome {
  const sender = senderAccount(item, accounts);
  item.used = undefined;
  if (isUnknown(item)) return miss(item, sender, accounts.rules) ?? unknownAddress;
  if (first?.outcome !== undefined && isRefused(first.outcome)) return first.outcome;
  if (first !== undefined || !accounts.fresh.has(item.key)) return miss(item, sender, accounts.rules) ?? duplicate;
  if (sender !== undefined && sender.sentLeft < 1) return refuseSend(sender, accounts.rules);
  const outcome = isRemote(item) ? federated : place(item, accounts);
  if (sender !== undefined && !isRefused(outcome)) {
    sender.sentLeft -= 1;
    item.used = "sends";
  }
  return outcome;
}

/** Gives the message the next place of its queue. */
function place(item: Item, { queues }: Accounts): Outcome {
  const queue = queues.get(item.recipient?.device_id ?? "");
  if (queue === undefined) return unknownAddress;
  const { length } = item.envelope.ciphertext;
  if (queue.messagesLeft < 1 || queue.bytesLeft < length) return queueFull;
  queue.messagesLeft -= 1;
  queue.bytesLeft -= length;
  item.position = queue.nextPosition;
  queue.nextPosition += 1;
  return { status: "queued", estimate: queue.estimate };
}

function miss(item: Item, sender: SenderAccount | undefined, rules: WindowRules): Refused | undefined {
  if (sender === undefined) return undefined;
  if (sender.missesLeft < 1) return refuseMiss(sender, rules);
  sender.missesLeft -= 1;
  item.used = "misses";
  return undefined;
}

function senderAccount({ sender }: Item, { senders }: Accounts): SenderAccount | undefined {
  return sender.kind === "device" ? senders.get(sender.deviceId) : undefined;
}

const duplicate: Outcome = { status: "duplicate", estimate: "delayed" };
const federated: Outcome = { status: "federated", estimate: "delayed" };
const unknownAddress: Refused = {
  error: "ADDRESS_NOT_FOUND",
  message: "the recipient address has no active mapping here",
};
const queueFull: Refused = { error: "QUEUE_FULL", message: "the recipient's queue is full" };
