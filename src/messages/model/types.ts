import type { Executor, Pipeline } from "../../database/db.js";
import { type ErrorId, RelayError } from "../../protocol/errors.js";
import type { MessageId, Prefix } from "../../protocol/identifiers.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";

/** The event that a sender may name beside the ciphertext, so that the recipient can react before decrypting. */
export interface SystemEvent {
  event: "group_extension_updated" | "member_added" | "member_removed" | "epoch_change" | "address_rotation";
  extensionType: string | null;
}

/** A message as a client or another server sends it: every member has its type, nothing else has been checked. */
export interface SentMessage {
  messageId: string;
  recipientAddress: string;
  /** In base64, or as bytes. */
  mlsCiphertext: string | Buffer;
  senderSignature: string;
  timestamp: number;
  systemEvent: { event: string; extensionType: string | null } | null;
  /** How long it may be kept, in seconds; 0 for open streams only. Left out: as long as the server keeps messages. */
  lifetimeSeconds?: number | undefined;
}

/** A message without its recipient. */
export type SentContent = Omit<SentMessage, "recipientAddress">;

/** The server's rules for the parts of a message. */
export interface MessageRules {
  /** This server's domain. */
  domain: string;
  privateDomainsAllowed: boolean;
  /** Longest decoded ciphertext, in bytes. */
  maxMessageSize: number;
  /**
   * If messages share ciphertexts: the ciphertexts already read, by what was sent, so that the messages share the
   * bytes, too.
   */
  decoded?: Map<string | Buffer, Buffer>;
}

/** A parsed message on its way into a queue. Times are Unix seconds. */
export interface Envelope {
  messageId: MessageId;
  recipient: Prefix;
  /** The recipient's server, if it is not this one. */
  domain?: string | undefined;
  ciphertext: Buffer;
  /** Passed on exactly as sent. */
  senderSignature: string;
  /** When the sender created the message, by the sender's clock. */
  timestamp: number;
  systemEvent: SystemEvent | null;
  /** How long it may be kept, in seconds; 0 for open streams only. */
  lifetimeSeconds?: number | undefined;
  /** On a peer's message: the sending relay's keyed hash of sender, message id and recipient, if it sent one. */
  dedupTag?: string | undefined;
  /** The hash by which a repetition is recognised, if it has been computed already. */
  dedupKey?: string | undefined;
}

/** The parts of an envelope that do not depend on the recipient. */
export type MessageContent = Pick<
  Envelope,
  "messageId" | "ciphertext" | "senderSignature" | "timestamp" | "systemEvent" | "lifetimeSeconds"
>;

/**
 * One message of a device to many recipients. Its envelopes are counted together, and go through the same flush unless
 * they are too large for one. The object is the identity of the message: two objects are two messages.
 */
export interface MessageToMany {
  /** Whether all envelopes are refused if one is refused because of the sender's limit or a full queue. */
  allOrNothing: boolean;
  /** Set if each envelope has a ciphertext of its own; otherwise they share one. */
  copies?: { longestBytes: number };
  /** How many of its envelopes counted as sends and as misses in earlier transactions. */
  counted?: { sends: number; misses: number };
}

/** The sender of envelopes: a device of this server, or another server. */
export type Sender =
  | {
      kind: "device";
      deviceId: string;
      /** Is notified of the sender's limits when its envelopes are decided. */
      observer?: LimitObserver | undefined;
    }
  | { kind: "peer"; domain: string };

/** A message in a queue. Times are Unix seconds. */
export interface QueuedMessage {
  /** Its position in its queue; positions grow in the order of commits. */
  position: number;
  messageId: string;
  ciphertext: Buffer;
  senderSignature: string;
  timestamp: number;
  receivedAt: number;
  /** From then on it is not delivered. Left out if it is online only, or comes from a node of an earlier version. */
  expiresAt?: number | undefined;
  systemEvent: SystemEvent | null;
  /** Unix milliseconds. Set only on a message that comes from memory instead of the database. */
  acceptedAtMillis?: number;
}

/** The result for one envelope. A failure concerns only this envelope. */
export type Outcome = Accepted | Refused;

export interface Accepted {
  status: "queued" | "federated" | "duplicate";
  estimate: "immediate" | "delayed";
}

export interface Refused {
  error: ErrorId;
  message: string;
  extras?: Readonly<Record<string, unknown>>;
  /** Set if it is refused only because other envelopes of its all-or-nothing message are. */
  withOthers?: true;
}

export function isRefused(outcome: Outcome): outcome is Refused {
  return "error" in outcome;
}

/** The error that a caller gets for a refused message. */
export function refusalError({ error, message, extras = {} }: Refused): RelayError {
  return new RelayError(error, message, { extras });
}

/**
 * A write that is committed together with the caller's envelopes. Only the fast path of a flush does that. If
 * `committed` is still false afterwards, the caller must write it.
 */
export interface TransactionalSideEffect {
  /** The side effects of one flush are written in this order, so that flushes wait for each other in one direction only. */
  order: string;
  /** Sends its statements before it waits for anything. `outcomes` belong to the envelopes, in order. */
  write(db: Pipeline, outcomes: readonly Outcome[]): Promise<void>;
  /** Set after the commit. */
  committed: boolean;
}

/** An acknowledgement: of the oldest message with the id, or of the message at exactly this position. */
export interface Acknowledgement {
  messageId: string;
  position?: number;
}

/** A message for another server, with the hash by which that server may recognise a repetition. */
export interface OutgoingMessage {
  /** The message to many that it belongs to, if any. */
  toMany: MessageToMany | undefined;
  domain: string;
  recipient: string;
  messageId: string;
  ciphertext: Buffer;
  senderSignature: string;
  timestamp: number;
  systemEvent: SystemEvent | null;
  lifetimeSeconds: number | undefined;
  dedupTag: string;
}

/** Passes messages on to other servers, in the transaction that accepts them. It may refuse some of them. */
export type Forward = (db: Executor, messages: readonly OutgoingMessage[]) => Promise<Forwarded>;

/** Passes online-only messages on to other servers. Returns at once; the outcomes do not tell what arrives. */
export type ForwardOnline = (envelopes: readonly Envelope[]) => (Accepted | Refused)[];

export interface Forwarded {
  /** One result per message, in order. */
  outcomes: (Accepted | Refused)[];
  /** The statements that store the accepted messages. They run in this order, the last one together with the commit. */
  statements: readonly (() => Promise<void>)[];
  /** Call this after the commit. */
  committed(): void;
}

/** The messages that a device exchanged with other servers. `domains` are those it recently wrote to, latest first. */
export interface DeviceFederation {
  domains: string[];
  sent: number;
  received: number;
}

/** A part of a queue, and the queue's last position at the same time. */
export interface QueueSlice {
  messages: QueuedMessage[];
  head: number;
}

/**
 * Messages that were just committed to one queue. `from` is the queue's head before them and `head` the one after: a
 * stream that has read up to `from` appends them, a stream that has read up to `head` ignores them, and any other
 * stream reads the queue.
 */
export interface CommittedMessages {
  from: number;
  head: number;
  messages: QueuedMessage[];
}

/** Messages that were committed to the queue of a device whose stream is open on a node. */
export interface Arrival extends CommittedMessages {
  deviceId: string;
  /** The node that has the device's stream. */
  node: string;
}

/** An online-only message for the stream of a device on a node. It has no position in the queue. */
export interface OnlineArrival {
  deviceId: string;
  node: string;
  message: QueuedMessage;
}

/** An open stream, from this module's point of view. Its methods return at once and never throw. */
export interface StreamSink {
  /** Messages were committed to the device's queue. */
  arrived(event: CommittedMessages): void;
  /** An online-only message has arrived; it is dropped if it cannot be pushed now. */
  online(message: QueuedMessage): void;
  /** There may be messages of which the stream was not notified: it should read the queue. */
  wake(): void;
  /** Another stream of the device has taken over. */
  replaced(): void;
}

/** How far a device has read its queue. */
export interface DeliveryState {
  /** The last position. */
  head: number;
  /** The highest position up to which everything was delivered. */
  cursor: number;
  /** Whether messages after the cursor wait that have not expired. */
  hasUnread: boolean;
  /** Unix seconds. */
  lastReceivedAt: number;
  /** Whether the device has an open stream, on any node. */
  hasStream: boolean;
}
