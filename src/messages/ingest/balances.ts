import type { Accounts, QueueAccount } from "./decide.js";
import { type Item, isRemote, isUnknown, senderOf } from "./item.js";
import type { Context } from "./look-up.js";
import { type Allowance, accountOf, askOf, type SenderAccount, type WindowRules } from "./rate-limit.js";
import type { Addition, MailboxState, Member, Refund } from "./store.js";
import type { WindowAsk, WindowGrant } from "./window-store.js";

type Balances = Pick<Accounts, "senders" | "queues">;

/** Tells whether a stream of that node is open. */
export type IsAlive = (nodeId: string) => boolean;

/** What is left to senders by their grants, and to queues before the first item of a tally, which the states contain. */
export function openBalances(
  deltas: Deltas,
  { context, isAlive, grants }: { context: Context; isAlive: IsAlive; grants: ReadonlyMap<string, WindowGrant> },
): Balances {
  const queues = new Map<string, QueueAccount>();
  for (const { recipient } of deltas.counted) {
    const state = deltas.states.get(recipient?.device_id ?? "");
    const asked = deltas.byDevice.get(recipient?.device_id ?? "");
    if (!recipient || !state || !asked || queues.has(recipient.device_id)) continue;
    queues.set(recipient.device_id, queueAccount(recipient, lessThan(state, asked), { context, isAlive }));
  }
  return { senders: senderAccounts(grants, context), queues };
}

/** The same from mailboxes and windows that were only read. */
export function openBalancesAsRead(
  items: readonly Item[],
  read: { mailboxes: ReadonlyMap<string, MailboxState>; grants: ReadonlyMap<string, WindowGrant> },
  { context, isAlive }: { context: Context; isAlive: IsAlive },
): Balances {
  const queues = new Map<string, QueueAccount>();
  for (const { recipient } of items) {
    const state = read.mailboxes.get(recipient?.device_id ?? "");
    if (recipient && state) queues.set(recipient.device_id, queueAccount(recipient, state, { context, isAlive }));
  }
  return { senders: senderAccounts(read.grants, context), queues };
}

function senderAccounts(
  grants: ReadonlyMap<string, WindowGrant>,
  { allowances, rules }: Context,
): Map<string, SenderAccount> {
  const senders = new Map<string, SenderAccount>();
  for (const [id, grant] of grants) {
    const allowance = allowances.get(id);
    if (allowance) senders.set(id, accountOf(allowance, grant, rules));
  }
  return senders;
}

function lessThan(state: MailboxState, asked: { arrivals: number; bytes: number }): MailboxState {
  return {
    ...state,
    last_position: state.last_position - asked.arrivals,
    queued_messages: state.queued_messages - asked.arrivals,
    queued_bytes: state.queued_bytes - asked.bytes,
  };
}

/** The smaller of the server's and the device's limit holds; a device that hides its presence is never `immediate`. */
function queueAccount(
  recipient: Member,
  state: MailboxState,
  { context, isAlive }: { context: Context; isAlive: IsAlive },
): QueueAccount {
  const { message_queue_limit: limit, message_queue_bytes_limit: bytesLimit } = context.settings.storage;
  const present = state.stream_node !== null && isAlive(state.stream_node) && !recipient.hide_presence;
  return {
    messagesLeft: Math.min(limit, recipient.offline_message_limit ?? limit) - state.queued_messages,
    bytesLeft: bytesLimit - state.queued_bytes,
    nextPosition: state.last_position + 1,
    estimate: present ? "immediate" : "delayed",
  };
}

/** What a flush adds to queues, and what they held afterwards. */
export interface Deltas {
  /** In the order of their devices' ids. */
  additions: Addition[];
  byDevice: ReadonlyMap<string, Addition>;
  /** Items that were added as new messages. */
  counted: Item[];
  /** Filled once the additions are in the database. */
  states: Map<string, MailboxState>;
  /** What is to be taken back where these of the counted items are refused. */
  refunds(refused: readonly Item[]): Refund[];
}

/** Adds up, per queue, what its items bring, as if every new message were accepted. */
export function deltasOf(items: readonly Item[], fresh: ReadonlySet<string>): Deltas {
  const byDevice = new Map<string, Addition>();
  const counted = newOf(items, fresh);
  for (const item of counted) {
    if (isRemote(item) || item.recipient === undefined) continue;
    const addition = additionOf(byDevice, item.recipient.device_id);
    addition.arrivals += 1;
    addition.bytes += item.envelope.ciphertext.length;
  }
  const additions = [...byDevice.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  return { additions, byDevice, counted, states: new Map(), refunds: sumRefunds };
}

/** What items ask of their senders' windows, as if every message that is not repeated here were new. In order of ids. */
export function asksOf(
  items: readonly Item[],
  { allowances, rules }: { allowances: ReadonlyMap<string, Allowance>; rules: WindowRules },
): WindowAsk[] {
  const fresh = new Set(newOf(items, new Set(items.map((item) => item.key))));
  const counts = new Map<string, { sends: number; misses: number }>();
  for (const item of items) {
    const sender = senderOf(item);
    if (sender === undefined) continue;
    const count = counts.get(sender) ?? { sends: 0, misses: 0 };
    count[fresh.has(item) ? "sends" : "misses"] += 1;
    counts.set(sender, count);
  }
  return asksFor(counts, { allowances, rules });
}

/** What items ask of their senders' windows that were thought to be new, and were not. */
export function laterAsksOf(
  items: readonly Item[],
  {
    fresh,
    allowances,
    rules,
  }: {
    fresh: ReadonlySet<string>;
    allowances: ReadonlyMap<string, Allowance>;
    rules: WindowRules;
  },
): WindowAsk[] {
  const counts = new Map<string, { sends: number; misses: number }>();
  for (const item of newOf(items, new Set(items.map(({ key }) => key)))) {
    const sender = senderOf(item);
    if (sender === undefined || fresh.has(item.key)) continue;
    counts.set(sender, { sends: 0, misses: (counts.get(sender)?.misses ?? 0) + 1 });
  }
  return asksFor(counts, { allowances, rules });
}

function asksFor(
  counts: ReadonlyMap<string, { sends: number; misses: number }>,
  { allowances, rules }: { allowances: ReadonlyMap<string, Allowance>; rules: WindowRules },
): WindowAsk[] {
  const asks: WindowAsk[] = [];
  for (const [id, { sends, misses }] of counts) {
    const allowance = allowances.get(id);
    const ask = allowance === undefined ? undefined : askOf(id, allowance, { sends, misses, rules });
    if (ask !== undefined && ask.sends + ask.misses > 0) asks.push(ask);
  }
  return asks.sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}

/** The first item of each of these keys that has somewhere to go. */
function newOf(items: readonly Item[], keys: ReadonlySet<string>): Item[] {
  const unseen = new Set(keys);
  return items.filter((item) => !isUnknown(item) && unseen.delete(item.key));
}

function additionOf(byDevice: Map<string, Addition>, deviceId: string): Addition {
  const found = byDevice.get(deviceId);
  if (found !== undefined) return found;
  const addition = { deviceId, arrivals: 0, bytes: 0 };
  byDevice.set(deviceId, addition);
  return addition;
}

function sumRefunds(refused: readonly Item[]): Refund[] {
  const refunds = new Map<string, Refund>();
  for (const { recipient, envelope } of refused) {
    if (recipient === undefined) continue;
    const { device_id: deviceId } = recipient;
    const refund = refunds.get(deviceId) ?? { deviceId, arrivals: 0, bytes: 0 };
    refund.arrivals += 1;
    refund.bytes += envelope.ciphertext.length;
    refunds.set(deviceId, refund);
  }
  return [...refunds.values()];
}
