import type { Pipeline } from "../platform/database/connection.js";
import type { ErrorId } from "../protocol/errors.js";
import type { MessageId, Prefix } from "../protocol/identifiers.js";

/** The hint that a sender may add beside the ciphertext. */
export interface SystemEvent {
  event: "group_extension_updated" | "member_added" | "member_removed" | "epoch_change" | "address_rotation";
  extensionType: string | null;
}

/** A message on its way in. Times are Unix seconds. */
export interface Envelope {
  messageId: MessageId;
  recipient: Prefix;
  /** The recipient's server where it is not this one. */
  domain?: string;
  ciphertext: Buffer;
  /** Handed on exactly as sent. */
  senderSignature: string;
  /** When the sender made the message, by the sender's clock. */
  timestamp: number;
  systemEvent: SystemEvent | null;
  /** For a peer's message: the sending relay's keyed hash of sender, message id and recipient, where it sent one. */
  dedupTag?: string;
  /** The hash that it is recognised by, where that has been made already. */
  key?: string;
}

/** Who hands messages in: a device of this server, or another server. */
export type Sender = { kind: "device"; deviceId: string } | { kind: "peer"; domain: string };

/** A message in a queue. Times are Unix seconds. */
export interface QueuedMessage {
  /** Its place in its queue; grows in the order of commit. */
  position: number;
  messageId: string;
  ciphertext: Buffer;
  senderSignature: string;
  timestamp: number;
  receivedAt: number;
  systemEvent: SystemEvent | null;
  /** Unix milliseconds, of a message that comes from memory instead of the database. */
  acceptedAtMillis?: number;
}

/** What became of one envelope. A failure concerns this envelope alone. */
export type Outcome = Accepted | Refused;

/**
 * What a caller wants committed with its envelopes, both or neither. That is done where all goes the usual short way; where
 * it was not, the caller sees to it afterwards.
 */
export interface TransactionalSideEffect {
  /** Those of one flush are written in the order of these, so that flushes wait for each other in one direction only. */
  order: string;
  /** Asks its statements before it waits for anything. `outcomes` are the envelopes', in order. */
  write(db: Pipeline, outcomes: readonly Outcome[]): Promise<void>;
  /** Set once it is committed. */
  committed: boolean;
}

export interface Accepted {
  status: "queued" | "federated" | "duplicate";
  estimate: "immediate" | "delayed";
}

export interface Refused {
  error: ErrorId;
  message: string;
  extras?: Readonly<Record<string, unknown>>;
}

/** An acknowledgement: of the oldest message with the id, or of the message at exactly this position. */
export interface Acknowledgement {
  messageId: string;
  position?: number;
}

export function isRefused(outcome: Outcome): outcome is Refused {
  return "error" in outcome;
}
