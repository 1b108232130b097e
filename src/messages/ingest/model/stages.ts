import type { DeviceProfile } from "../../model/read-model.js";
import {
  type Envelope,
  isRefused,
  type MessageToMany,
  type Outcome,
  type Refused,
  type Sender,
} from "../../model/types.js";
import type { MessageKey } from "../deduplication/message-key.js";

// What is known about a message at each stage of ingest. No value is changed after its stage: a flush that starts again
// makes new values from the same Parsed. flush.ts has the same stages of a flush as a whole.

/** A message as it came. */
export interface Parsed {
  readonly sender: Sender;
  readonly envelope: Envelope;
  /** The key by which a repetition is recognised. */
  readonly key: MessageKey;
  readonly acceptedAtMillis: number;
  /** The message to many that it belongs to, if any. Its envelopes are adjacent. */
  readonly toMany: MessageToMany | undefined;
}

/** A message whose recipient has been looked up. If it was found, the key is placed on the machine of its queue. */
export interface LookedUp extends Parsed {
  /** The device of a local recipient; undefined if there is none. */
  readonly recipient: DeviceProfile | undefined;
}

/** What the sender is answered, and the sender's window in which the message counts, if any. */
export interface Answered {
  readonly outcome: Outcome;
  readonly used: "sends" | "misses" | undefined;
}

/** A message with its outcome, before it is stored. */
export interface Decided extends Answered {
  readonly message: LookedUp;
  /** The position in the queue, if the message was accepted into one. */
  readonly position: number;
}

export function idOf({ envelope }: Parsed): string {
  return envelope.messageId;
}

/** Whether the message is for another server. */
export function isRemote({ envelope }: Parsed): boolean {
  return envelope.domain !== undefined;
}

/** Whether the recipient should be a device of this server but was not found. */
export function isUnknown(message: LookedUp): boolean {
  return !isRemote(message) && message.recipient === undefined;
}

/** The sending device, if it is a device of this server. */
export function senderOf({ sender }: Parsed): string | undefined {
  return sender.kind === "device" ? sender.deviceId : undefined;
}

/** The sending devices of this server, each once. */
export function sendersOf(messages: readonly Parsed[]): string[] {
  return unique(messages.map(senderOf).filter((id) => id !== undefined));
}

export function refusalOf({ outcome }: Answered): Refused | undefined {
  return isRefused(outcome) ? outcome : undefined;
}

const limitErrors: ReadonlySet<string> = new Set(["RATE_LIMIT_EXCEEDED", "QUEUE_FULL"]);

/** Whether the message was refused for the sender's limit or a full queue. */
export function isOverLimit({ outcome }: Answered): boolean {
  return isRefused(outcome) && limitErrors.has(outcome.error);
}

/** Whether the message was accepted into a queue of this server. */
export function isQueued({ outcome }: Answered): boolean {
  return !isRefused(outcome) && outcome.status === "queued";
}

/** Whether the message is stored, here or for another server: accepted, but not as a repetition. */
export function isAccepted({ outcome }: Answered): boolean {
  return !isRefused(outcome) && outcome.status !== "duplicate";
}

/** The first message of each of these keys that has a recipient, or goes to another server. */
export function firstsOf(messages: readonly LookedUp[], keys: ReadonlySet<MessageKey>): LookedUp[] {
  const left = new Set(keys);
  return messages.filter((message) => !isUnknown(message) && left.delete(message.key));
}

/** The distinct keys of the messages that have a recipient or are for another server. */
export function keysOf(messages: readonly LookedUp[]): MessageKey[] {
  return unique(messages.filter((message) => !isUnknown(message)).map(({ key }) => key));
}

/** Each value once, in order of first occurrence. */
export function unique<T>(values: Iterable<T>): T[] {
  return [...new Set(values)];
}
