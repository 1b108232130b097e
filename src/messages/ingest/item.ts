import {
  type Envelope,
  isRefused,
  type Outcome,
  type Refused,
  type Sender,
  type TransactionalSideEffect,
} from "../types.js";
import type { Member } from "./store.js";

/** One envelope on its way through a flush. */
export interface Item {
  readonly sender: Sender;
  readonly envelope: Envelope;
  /** The hash that it is recognised by, a character for each byte. */
  readonly key: string;
  /** The hash in its earlier form, where that still matters. */
  readonly earlierKey: string | undefined;
  readonly acceptedAtMillis: number;
  /** The device of a local recipient, once it has been found. */
  recipient: Member | undefined;
  outcome: Outcome | undefined;
  /** The queue's position, of a message that passed. */
  position: number;
  /** Which of the sender's windows it takes a place in, if any. */
  used: "sends" | "misses" | undefined;
}

/** What is to be committed with all of these items. */
export interface SideEffectOfItems {
  items: readonly Item[];
  sideEffect: TransactionalSideEffect;
}

export function newItem(given: Pick<Item, "sender" | "envelope" | "key" | "earlierKey" | "acceptedAtMillis">): Item {
  const { sender, envelope, key, earlierKey, acceptedAtMillis } = given;
  // Every member in one literal: this is made for each message, and copying members one by one costs ten times that.
  return {
    sender,
    envelope,
    key,
    earlierKey,
    acceptedAtMillis,
    recipient: undefined,
    outcome: undefined,
    position: 0,
    used: undefined,
  };
}

/** Whether the message is for another server. */
export function isRemote(item: Item): boolean {
  return item.envelope.domain !== undefined;
}

/** Whether its recipient is to be looked for here and was not found. */
export function isUnknown(item: Item): boolean {
  return !isRemote(item) && item.recipient === undefined;
}

/** The sending device, where it is one of this server. */
export function senderOf({ sender }: Item): string | undefined {
  return sender.kind === "device" ? sender.deviceId : undefined;
}

/** The devices whose mailboxes the item concerns. */
export function devicesOf(item: Item): string[] {
  return [senderOf(item), item.recipient?.device_id].filter((id) => id !== undefined);
}

export function refusalOf({ outcome }: Item): Refused | undefined {
  return outcome !== undefined && isRefused(outcome) ? outcome : undefined;
}

/** Whether it is going into a queue of this server. */
export function isQueued({ outcome }: Item): boolean {
  return outcome !== undefined && !isRefused(outcome) && outcome.status === "queued";
}
