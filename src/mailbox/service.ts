import type { Db } from "../platform/database/connection.js";
import type { Acknowledgement, Envelope, Outcome, QueuedMessage, Sender } from "./envelope.js";

export type {
  Accepted,
  Acknowledgement,
  Envelope,
  Outcome,
  QueuedMessage,
  Refused,
  Sender,
  SystemEvent,
} from "./envelope.js";
export { isRefused } from "./envelope.js";

/** The queues of this server's devices, the intake of messages into them and the way out. */
export interface MailboxService {
  start(): Promise<void>;
  /** Ends the intake, waits for what was accepted, and detaches this node's streams. */
  stop(): Promise<void>;
  /**
   * Takes envelopes in and answers each, in order, after the commit. Envelopes of many callers share a transaction.
   * Throws OVERLOADED where too many wait; a failure of the database is an outcome DATABASE_UNAVAILABLE, after which
   * the envelope may or may not be stored: sending it again does no harm.
   */
  accept(sender: Sender, envelopes: readonly Envelope[]): Promise<Outcome[]>;
  /** The oldest messages of a queue, up to `limit` and to the page's bytes. One at a time per device. */
  page(deviceId: string, query: { since?: number | undefined; limit: number }): Promise<Page>;
  /** Removes one message per item; false where there is none. */
  acknowledge(deviceId: string, items: readonly Acknowledgement[]): Promise<boolean[]>;
  /** Number of messages in the queue. */
  backlog(deviceId: string): Promise<number>;
  /** Makes this stream the device's one and tells the one that it replaces, on whichever node. */
  attach(deviceId: string, streamId: string, sink: StreamSink): Promise<{ headPosition: number }>;
  /** Ends the stream's presence, if it is still the device's one. */
  detach(deviceId: string, streamId: string): Promise<void>;
  /**
   * The messages behind a position, in order, and the head of the queue as of the same moment. Where fewer than
   * `limit` messages and fewer than `bytes` bytes come back, nothing is left between the last one and the head.
   */
  readAfter(deviceId: string, position: number, bounds: { limit: number; bytes: number }): Promise<QueueSlice>;
  /** To be called with what a stream has pushed, in order: counts latencies and moves the hand-out cursor. */
  handedOut(deviceId: string, streamId: string, messages: readonly QueuedMessage[]): void;
  /** Whether the device sent a message of this id to one of these addresses, while the retention period lasts. */
  wasSentBy(db: Db, sent: { senderId: string; messageId: string; prefixes: readonly string[] }): Promise<boolean>;
  /** Removes the devices' queues and counters, inside the caller's transaction. */
  forgetDevices(db: Db, deviceIds: readonly string[]): Promise<void>;
}

export interface Page {
  messages: QueuedMessage[];
  hasMore: boolean;
}

export interface QueueSlice {
  messages: QueuedMessage[];
  head: number;
}

/** The mailbox's view of an open stream. Its calls return at once and never throw. */
export interface StreamSink {
  /**
   * Messages that were just committed. `from` is the queue's head before them and `head` the one after: a stream that
   * has read up to `from` appends them; one that knows a head of `head` or more ignores them; any other reads.
   */
  arrived(event: { from: number; head: number; messages: QueuedMessage[] }): void;
  /** There may be messages that were not told: read. */
  wake(): void;
  /** Another stream of the device has taken over. */
  replaced(): void;
}
