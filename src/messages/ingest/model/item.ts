import type { DeviceProfile } from "../../model/read-model.js";
import {
  type Envelope,
  isRefused,
  type MessageToMany,
  type Outcome,
  type Refused,
  type Sender,
  type TransactionalSideEffect,
} from "../../model/types.js";
import type { MessageKey } from "../deduplication/message-key.js";

/** One envelope on its way through a flush. */
export interface Item {
  readonly sender: Sender;
  readonly envelope: Envelope;
  /** The key by which a repetition is recognised. It is placed once the recipient is known. */
  key: MessageKey;
  readonly acceptedAtMillis: number;
  /** The message to many that it belongs to, if any. Items of one message are adjacent. */
  readonly toMany: MessageToMany | undefined;
  /** The device of a local recipient, once it has been looked up. */
  recipient: DeviceProfile | undefined;
  outcome: Outcome | undefined;
  /** The position in the queue, if the message was accepted into one. */
  position: number;
  /** The sender's window in which it counts, if any. */
  used: "sends" | "misses" | undefined;
}

/** The envelopes of one call or of a part of it. */
export interface Job {
  items: readonly Item[];
  toMany?: MessageToMany | undefined;
  sideEffect?: TransactionalSideEffect | undefined;
}

/** A side effect to be committed together with all of these items. */
export interface SideEffectOfItems {
  items: readonly Item[];
  sideEffect: TransactionalSideEffect;
}

type NewItem = Pick<Item, "sender" | "envelope" | "key" | "acceptedAtMillis" | "toMany">;

export function newItem({ sender, envelope, key, acceptedAtMillis, toMany }: NewItem): Item {
  // Every member in one literal: this runs for each message, and copying members one by one costs ten times as much.
  return {
    sender,
    envelope,
    key,
    acceptedAtMillis,
    toMany,
    recipient: undefined,
    outcome: undefined,
    position: 0,
    used: undefined,
  };
}

export function idOf({ envelope }: Item): string {
  return envelope.messageId;
}

/** Whether the message is for another server. */
export function isRemote(item: Item): boolean {
  return item.envelope.domain !== undefined;
}

/** Whether its recipient should be a device of this server but was not found. */
export function isUnknown(item: Item): boolean {
  return !isRemote(item) && item.recipient === undefined;
}

/** The sending device, if it is a device of this server. */
export function senderOf({ sender }: Item): string | undefined {
  return sender.kind === "device" ? sender.deviceId : undefined;
}

/** Whether it still has no outcome. */
export function isOpen({ outcome }: Item): boolean {
  return outcome === undefined;
}

export function refusalOf({ outcome }: Item): Refused | undefined {
  return outcome !== undefined && isRefused(outcome) ? outcome : undefined;
}

const limitErrors: ReadonlySet<string> = new Set(["RATE_LIMIT_EXCEEDED", "QUEUE_FULL"]);

/** Whether it was refused for the sender's limit or a full queue. */
export function isOverLimit(item: Item): boolean {
  return limitErrors.has(refusalOf(item)?.error ?? "");
}

/** Whether it was accepted into a queue of this server. */
export function isQueued({ outcome }: Item): boolean {
  return outcome !== undefined && !isRefused(outcome) && outcome.status === "queued";
}

/** Whether it is stored, here or for another server: accepted, but not as a repetition. */
export function isAccepted({ outcome }: Item): boolean {
  return outcome !== undefined && !isRefused(outcome) && outcome.status !== "duplicate";
}

/** The first item of each of these keys that has a recipient, or goes to another server. */
export function firstsOf(items: readonly Item[], keys: ReadonlySet<string>): Item[] {
  const left = new Set(keys);
  return items.filter((item) => !isUnknown(item) && left.delete(item.key));
}

/** Each value once, in order of first occurrence. */
export function unique<T>(values: Iterable<T>): T[] {
  return [...new Set(values)];
}
