import { isRefused, type MessageToMany, type Outcome, type Refused } from "../model/types.js";
import type { WindowRules } from "./limits/hourly-limit.js";
import type { QueueRemaining } from "./limits/queue-limit.js";
import { refuseMiss, refuseSend, type SenderRemaining } from "./limits/sender-remaining.js";
import { costOf, createShareCounter, type ShareCounter } from "./limits/sending-costs.js";
import { type Item, isOpen, isOverLimit, isRemote, isUnknown, refusalOf, senderOf } from "./model/item.js";

// Items are decided one after the other, in the order in which they came, each against what the earlier items left:
// unknown recipient, repetition, the sender's limit, the room in the queue. Only a message that passes all these checks
// counts.
//
// Items of an all-or-nothing message are decided in the same way. If one of them turns out to be over a limit, what
// they took is put back, and all are refused. If the reason is a full queue, which the answer names, they count as
// misses, so that nobody can probe many queues without delivering anything.

/** What is left for items. `fresh` holds the keys that no earlier flush has seen. */
export interface Remaining {
  senders: ReadonlyMap<string, SenderRemaining>;
  queues: ReadonlyMap<string, QueueRemaining>;
  fresh: ReadonlySet<string>;
  rules: WindowRules;
}

/** The state of one pass over the items. */
interface Pass extends Remaining {
  /** The first item of each key. */
  firsts: Map<string, Item>;
  shares: ShareCounter;
}

/** Gives an outcome to every item that has none. */
export function decide(items: readonly Item[], remaining: Remaining): void {
  const pass: Pass = { ...remaining, firsts: new Map(), shares: createShareCounter() };
  const open = items.filter(isOpen);
  for (let at = 0; at < open.length; ) {
    const item = open[at] as Item;
    const { toMany } = item;
    if (toMany?.allOrNothing !== true) {
      decideOne(item, pass);
      at += 1;
      continue;
    }
    const from = at;
    while (at < open.length && open[at]?.toMany === toMany) at += 1;
    decideTogether(open.slice(from, at), pass);
  }
}

function decideTogether(items: readonly Item[], pass: Pass): void {
  const putBack = remember(items, pass);
  for (const item of items) decideOne(item, pass);
  if (!items.some(isOverLimit)) return;
  putBack();
  refuseAll(items, pass);
}

/**
 * Refuses all items of all-or-nothing messages if one of their items was refused because of a limit after it had been
 * decided.
 */
export function refuseTogether(items: readonly Item[], remaining: Pick<Remaining, "senders" | "rules">): void {
  const whole = new Map<MessageToMany, Item[]>();
  for (const item of items) {
    // Items that were refused earlier use no send.
    if (item.toMany?.allOrNothing && item.used === "sends" && isOverLimit(item)) whole.set(item.toMany, []);
  }
  if (whole.size === 0) return;
  for (const item of items) if (item.toMany !== undefined) whole.get(item.toMany)?.push(item);
  for (const refused of whole.values()) refuseAll(refused, remaining);
}

/** Refuses all items of a message if some of them are over a limit; the others lose their outcomes. */
function refuseAll(items: readonly Item[], { senders, rules }: Pick<Remaining, "senders" | "rules">): void {
  const refusals = items.filter(isOverLimit).map(refusalOf);
  const refusal = refusals.find((one) => one?.error === "RATE_LIMIT_EXCEEDED") ?? refusals[0];
  const sender = senders.get(senderOf(items[0] as Item) ?? "");
  if (sender !== undefined) giveBack(items, sender);
  const misses = refusal?.error !== "QUEUE_FULL" || sender === undefined ? 0 : costOf(items, "misses", sender);
  const isTooMany = sender !== undefined && sender.misses < misses;
  if (sender !== undefined && !isTooMany) sender.misses -= misses;
  for (const item of items) {
    item.used = misses === 0 || isTooMany ? undefined : "misses";
    if (isTooMany) item.outcome = refuseMiss(sender, rules);
    else if (!isOverLimit(item)) item.outcome = { ...(refusal as Refused), withOthers: true };
  }
}

function giveBack(items: readonly Item[], sender: SenderRemaining): void {
  for (const kind of ["sends", "misses"] as const) {
    const used = items.filter((item) => item.used === kind);
    sender[kind] += costOf(used, kind, sender);
  }
}

/**
 * Returns a function that undoes the effects of deciding these items: what they took from queues, and their being the
 * first of their keys.
 */
function remember(items: readonly Item[], { queues, firsts }: Pass): () => void {
  const before = new Map<QueueRemaining, QueueRemaining>();
  for (const item of items) {
    const queue = queues.get(item.recipient?.device_id ?? "");
    if (queue !== undefined && !before.has(queue)) before.set(queue, { ...queue });
  }
  return () => {
    for (const [queue, state] of before) Object.assign(queue, state);
    for (const item of items) if (firsts.get(item.key) === item) firsts.delete(item.key);
  };
}

function decideOne(item: Item, pass: Pass): void {
  const first = pass.firsts.get(item.key);
  if (first === undefined) pass.firsts.set(item.key, item);
  item.used = undefined;
  item.outcome = outcomeFor(item, first, pass);
}

function outcomeFor(item: Item, first: Item | undefined, pass: Pass): Outcome {
  const sender = pass.senders.get(senderOf(item) ?? "");
  if (isUnknown(item)) return countMiss(item, sender, pass) ?? unknownAddress;
  if (first?.outcome !== undefined && isRefused(first.outcome)) return first.outcome;
  const repeated = first !== undefined || !pass.fresh.has(item.key);
  if (repeated) return countMiss(item, sender, pass) ?? duplicate;
  const cost = sender === undefined ? 0 : pass.shares.next(item, "sends", sender);
  if (sender !== undefined && sender.sends < cost) return refuseSend(sender, pass.rules);
  const outcome = isRemote(item) ? federated : enqueue(item, pass);
  if (sender !== undefined && !isRefused(outcome)) {
    sender.sends -= cost;
    pass.shares.count(item, "sends");
    item.used = "sends";
  }
  return outcome;
}

/** Gives the message the next position in its queue. */
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

function countMiss(item: Item, sender: SenderRemaining | undefined, { shares, rules }: Pass): Refused | undefined {
  if (sender === undefined) return undefined;
  const cost = shares.next(item, "misses", sender);
  if (sender.misses < cost) return refuseMiss(sender, rules);
  sender.misses -= cost;
  shares.count(item, "misses");
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
