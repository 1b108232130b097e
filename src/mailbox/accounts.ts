import type { SenderAccount } from "./allowances.js";
import { accountOf } from "./allowances.js";
import type { MailboxState, Member } from "./intake-store.js";
import type { Item } from "./item.js";
import type { Accounts, QueueAccount } from "./judging.js";
import type { Context } from "./lookup.js";
import type { Tally } from "./tally.js";
import type { WindowGrant } from "./window-store.js";

type Books = Pick<Accounts, "senders" | "queues">;

/** Tells whether a stream of that node is open. */
export type IsAlive = (nodeId: string) => boolean;

/** What is left to senders by their grants, and to queues before the first item of a tally, which the states contain. */
export function openBooks(
  tally: Tally,
  { context, isAlive, grants }: { context: Context; isAlive: IsAlive; grants: ReadonlyMap<string, WindowGrant> },
): Books {
  const queues = new Map<string, QueueAccount>();
  for (const { recipient } of tally.counted) {
    const state = tally.states.get(recipient?.device_id ?? "");
    const asked = tally.byDevice.get(recipient?.device_id ?? "");
    if (!recipient || !state || !asked || queues.has(recipient.device_id)) continue;
    queues.set(recipient.device_id, queueAccount(recipient, lessThan(state, asked), { context, isAlive }));
  }
  return { senders: senderAccounts(grants, context), queues };
}

/** The same from mailboxes and windows that were only read. */
export function openBooksAsRead(
  items: readonly Item[],
  read: { mailboxes: ReadonlyMap<string, MailboxState>; grants: ReadonlyMap<string, WindowGrant> },
  { context, isAlive }: { context: Context; isAlive: IsAlive },
): Books {
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
