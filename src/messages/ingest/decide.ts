import type { Executor } from "../../database/db.js";
import { passStep } from "../../process/message-steps.js";
import { type Forward, isRefused, type MessageToMany, type Outcome, type Refused } from "../model/types.js";
import type { CountedFlush, DecidedFlush } from "./flush.js";
import { forwardRemote } from "./forward.js";
import type { WindowRules } from "./limits/messages-per-hour.js";
import { type QueueRemaining, remainingOfQueues } from "./limits/queue-limit.js";
import { notifySenders, refuseMiss, refuseSend, remainingOfSenders, type SenderRemaining } from "./limits/remaining.js";
import { costOf, createShareCounter, type ShareCounter } from "./limits/sending-costs.js";
import type { IsAlive } from "./model/delivery-estimate.js";
import {
  type Decided,
  idOf,
  isOverLimit,
  isRemote,
  isUnknown,
  type LookedUp,
  refusalOf,
  senderOf,
} from "./model/stages.js";

// The stage LookedUp -> Decided. Messages are decided one after the other, in the order in which they came, each
// against what the earlier ones left: unknown recipient, repetition, the sender's limit, the room in the queue. Only a
// message that passes all these checks counts.
//
// Envelopes of an all-or-nothing message are decided in the same way. If one of them turns out to be over a limit, what
// they took is put back, and all are refused. If the reason is a full queue, which the answer names, they count as
// misses, so that nobody can probe many queues without delivering anything.

/**
 * Decides the messages of a flush, and passes those for other servers on. The outbox may still refuse one of them, and
 * an all-or-nothing message with it.
 */
export async function decideFlush(
  db: Executor,
  counted: CountedFlush,
  { isAlive, forward }: { isAlive: IsAlive; forward: Forward },
): Promise<DecidedFlush> {
  const { messages, context } = counted;
  const remaining = {
    senders: remainingOfSenders(counted.grants, context),
    queues: remainingOfQueues(counted, { context, isAlive }),
    fresh: counted.fresh,
    rules: context.rules,
  };
  const decidedHere = decide(messages, remaining);
  passStep("decided", messages, idOf);
  const forwarded = await forwardRemote(db, decidedHere, forward);
  const decided = refuseTogether(forwarded.decided, remaining);
  notifySenders(messages, remaining);
  return { counted, decided, forwarded };
}

/** What is left for messages; deciding takes from it. `fresh` holds the keys that no earlier flush has seen. */
interface Remaining {
  senders: ReadonlyMap<string, SenderRemaining>;
  queues: ReadonlyMap<string, QueueRemaining>;
  fresh: ReadonlySet<string>;
  rules: WindowRules;
}

/** The state of one pass over the messages. */
interface Pass extends Remaining {
  /** The first message of each key. */
  firsts: Map<string, Decided>;
  shares: ShareCounter;
}

/** Decides all messages, in order. */
export function decide(messages: readonly LookedUp[], remaining: Remaining): Decided[] {
  const pass: Pass = { ...remaining, firsts: new Map(), shares: createShareCounter() };
  const decided: Decided[] = [];
  for (let at = 0; at < messages.length; ) {
    const message = messages[at] as LookedUp;
    const { toMany } = message;
    if (toMany?.allOrNothing !== true) {
      decided.push(decideOne(message, pass));
      at += 1;
      continue;
    }
    const from = at;
    while (at < messages.length && messages[at]?.toMany === toMany) at += 1;
    decided.push(...decideTogether(messages.slice(from, at), pass));
  }
  return decided;
}

function decideTogether(messages: readonly LookedUp[], pass: Pass): Decided[] {
  const putBackQueues = rememberQueues(messages, pass);
  const decided = messages.map((message) => decideOne(message, pass));
  if (!decided.some(isOverLimit)) return decided;
  putBackQueues();
  for (const one of decided) if (pass.firsts.get(one.message.key) === one) pass.firsts.delete(one.message.key);
  return refuseAll(decided, pass);
}

/**
 * Refuses all envelopes of all-or-nothing messages if one of them was refused because of a limit after it had been
 * decided.
 */
function refuseTogether(
  decided: readonly Decided[],
  remaining: Pick<Remaining, "senders" | "rules">,
): readonly Decided[] {
  const whole = new Map<MessageToMany, Decided[]>();
  for (const one of decided) {
    const { toMany } = one.message;
    // Messages that were refused earlier use no send.
    if (toMany?.allOrNothing && one.used === "sends" && isOverLimit(one)) whole.set(toMany, []);
  }
  if (whole.size === 0) return decided;
  for (const one of decided) if (one.message.toMany !== undefined) whole.get(one.message.toMany)?.push(one);
  const refused = [...whole.values()].flatMap((together) => refuseAll(together, remaining));
  const byMessage = new Map(refused.map((one) => [one.message, one]));
  return decided.map((one) => byMessage.get(one.message) ?? one);
}

/** Refuses all envelopes of a message if some of them are over a limit; the others lose their outcomes. */
function refuseAll(decided: readonly Decided[], { senders, rules }: Pick<Remaining, "senders" | "rules">): Decided[] {
  const messages = decided.map(({ message }) => message);
  const refusals = decided.filter(isOverLimit).map(refusalOf);
  const refusal = refusals.find((one) => one?.error === "RATE_LIMIT_EXCEEDED") ?? refusals[0];
  const sender = senders.get(senderOf(messages[0] as LookedUp) ?? "");
  if (sender !== undefined) giveBack(decided, sender);
  const misses = refusal?.error !== "QUEUE_FULL" || sender === undefined ? 0 : costOf(messages, "misses", sender);
  const tooMany = sender !== undefined && sender.misses < misses ? refuseMiss(sender, rules) : undefined;
  if (sender !== undefined && tooMany === undefined) sender.misses -= misses;
  const used = misses === 0 || tooMany !== undefined ? undefined : "misses";
  const withOthers: Refused = { ...(refusal as Refused), withOthers: true };
  return decided.map((one) => {
    const outcome = tooMany ?? (isOverLimit(one) ? one.outcome : withOthers);
    return { message: one.message, outcome, position: one.position, used };
  });
}

function giveBack(decided: readonly Decided[], sender: SenderRemaining): void {
  for (const kind of ["sends", "misses"] as const) {
    const used = decided.filter((one) => one.used === kind).map(({ message }) => message);
    sender[kind] += costOf(used, kind, sender);
  }
}

/** Returns a function that puts back what deciding these messages takes from queues. */
function rememberQueues(messages: readonly LookedUp[], { queues }: Pass): () => void {
  const before = new Map<QueueRemaining, QueueRemaining>();
  for (const { recipient } of messages) {
    const queue = queues.get(recipient?.device_id ?? "");
    if (queue !== undefined && !before.has(queue)) before.set(queue, { ...queue });
  }
  return () => {
    for (const [queue, state] of before) Object.assign(queue, state);
  };
}

function decideOne(message: LookedUp, pass: Pass): Decided {
  const first = pass.firsts.get(message.key);
  const decided = decideAfter(first, message, pass);
  if (first === undefined) pass.firsts.set(message.key, decided);
  return decided;
}

/** `first` is the first message of the same key in this pass, if any. */
function decideAfter(first: Decided | undefined, message: LookedUp, pass: Pass): Decided {
  if (isUnknown(message)) return countMiss(message, unknownAddress, pass);
  if (first !== undefined && isRefused(first.outcome)) return uncounted(message, first.outcome);
  const repeated = first !== undefined || !pass.fresh.has(message.key);
  if (repeated) return countMiss(message, duplicate, pass);
  const sender = pass.senders.get(senderOf(message) ?? "");
  const cost = sender === undefined ? 0 : pass.shares.next(message, "sends", sender);
  if (sender !== undefined && sender.sends < cost) return uncounted(message, refuseSend(sender, pass.rules));
  const used: Decided["used"] = sender === undefined ? undefined : "sends";
  const decided = isRemote(message) ? { message, outcome: federated, position: 0, used } : enqueue(message, used, pass);
  if (sender === undefined || isRefused(decided.outcome)) return decided;
  sender.sends -= cost;
  pass.shares.count(message, "sends");
  return decided;
}

/** Gives the message the next position in its queue. */
function enqueue(message: LookedUp, used: Decided["used"], { queues }: Remaining): Decided {
  const queue = queues.get(message.recipient?.device_id ?? "");
  if (queue === undefined) return uncounted(message, unknownAddress);
  const { length } = message.envelope.ciphertext;
  if (queue.messages < 1 || queue.bytes < length) return uncounted(message, queueFull);
  queue.messages -= 1;
  queue.bytes -= length;
  const position = queue.nextPosition;
  queue.nextPosition += 1;
  return { message, outcome: { status: "queued", estimate: queue.estimate }, position, used };
}

/** The outcome, if the sender may have another miss. */
function countMiss(message: LookedUp, outcome: Outcome, { senders, shares, rules }: Pass): Decided {
  const sender = senders.get(senderOf(message) ?? "");
  if (sender === undefined) return uncounted(message, outcome);
  const cost = shares.next(message, "misses", sender);
  if (sender.misses < cost) return uncounted(message, refuseMiss(sender, rules));
  sender.misses -= cost;
  shares.count(message, "misses");
  return { message, outcome, position: 0, used: "misses" };
}

function uncounted(message: LookedUp, outcome: Outcome): Decided {
  return { message, outcome, position: 0, used: undefined };
}

const duplicate: Outcome = { status: "duplicate", estimate: "delayed" };
const federated: Outcome = { status: "federated", estimate: "delayed" };
const unknownAddress: Refused = {
  error: "ADDRESS_NOT_FOUND",
  message: "the recipient address has no active mapping here",
};
const queueFull: Refused = { error: "QUEUE_FULL", message: "the recipient's queue is full" };
