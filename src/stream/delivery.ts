import type {
  AckBatchConfirmedFrame,
  AckBatchFrame,
  AckConfirmedFrame,
  AckFrame,
  ErrorFrame,
} from "../../generated/frames.js";
import type { Acknowledgement, CommittedMessages, QueuedMessage, QueueSlice } from "../messages/model/types.js";
import { passStep } from "../process/message-steps.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { kibibyte } from "../protocol/units.js";
import { Backlog, type HoldBudget } from "./backlog.js";
import type { Connection } from "./connection.js";
import { FlowWindow } from "./flow-window.js";
import { deliveryFrameBytes, encodeDelivery, failedAcknowledgementFrames } from "./frames.js";
import type { ReadSlots } from "./read-slots.js";
import type { StreamDeps } from "./types.js";

/** State shared by the delivery of all streams of a node. */
export interface DeliveryShared {
  readonly deps: StreamDeps;
  readonly budget: HoldBudget;
  readonly reads: ReadSlots;
}

export type AckRequest = AckFrame | AckBatchFrame;
export type AckAnswer = AckConfirmedFrame | AckBatchConfirmedFrame | ErrorFrame;

/** A read fetches at least this many messages, or as many as a larger window holds. */
const readLimit = 100;
const readBytes = 256 * kibibyte;
/** Maximum number of acknowledgements that have been read but not committed; beyond it no more are read. */
const acksUnderWay = 2_000;
/** After a failed read the next one waits this long. */
const retryMillis = 2_000;

export interface DeliveryBounds {
  /** Maximum number of messages that may be outstanding. */
  readonly window: number;
  /** A message whose frame would be larger is only announced. */
  readonly maxFrameBytes: number;
}

/** The stream of the device whose queue is delivered. */
interface DeliveredStream {
  readonly deviceId: string;
  readonly streamId: string;
  readonly connection: Connection;
  onEmpty(): void;
  /** The next message's frame is larger than the client accepts. */
  announce(message: { message_id: string; frame_bytes: number }): void;
  /** Called with the answer to each acknowledgement, in order, and when more acknowledgements may be taken. */
  answer(frame: AckAnswer): void;
  onRoom(): void;
}

/**
 * Delivers the queue of one device. Messages are taken from the backlog and pushed while the window has room and the
 * socket accepts data. An acknowledgement makes room as soon as it has been read; it is answered when the message has
 * left the queue. When the queue is empty and everything pushed has left it, `onEmpty` is called, once until the next
 * push.
 */
export class Delivery {
  private readonly shared: DeliveryShared;
  private readonly stream: DeliveredStream;
  private readonly window: FlowWindow;
  private readonly backlog: Backlog;
  /** Ends when everything read so far has been answered. Never rejects. */
  private answered: Promise<void> = Promise.resolve();
  private underWay = 0;
  private maxFrameBytes: number;
  private stopped = false;
  private started = false;
  private emptyReported = false;
  /** Whether the client has acknowledged something since the last read began. */
  private acknowledging = false;
  private readAgainAt = 0;

  constructor(shared: DeliveryShared, stream: DeliveredStream, { window, maxFrameBytes }: DeliveryBounds) {
    this.shared = shared;
    this.stream = stream;
    this.window = new FlowWindow({ size: window, ackTimeoutMillis: shared.deps.config.ackTimeoutSeconds * 1000 });
    this.backlog = new Backlog(shared.budget);
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Whether no more acknowledgements may be taken at the moment. */
  get full(): boolean {
    return this.underWay >= acksUnderWay;
  }

  /** Sets how many messages may be outstanding, and the maximum bytes of a pushed frame. */
  adjust({ window, maxFrameBytes }: DeliveryBounds): void {
    this.window.size = window;
    this.maxFrameBytes = maxFrameBytes;
    this.push();
  }

  /** Whether delivery waits because the client has acknowledged nothing for too long. */
  get paused(): boolean {
    return this.window.paused(this.now());
  }

  start(): void {
    this.started = true;
    this.push();
  }

  /** Ends the pushes. */
  stop(): void {
    this.stopped = true;
    this.backlog.stop();
  }

  arrived(event: CommittedMessages): void {
    passStep("notified", event.messages, idOf);
    this.backlog.arrived(event);
    this.push();
  }

  wake(): void {
    this.backlog.wake();
    this.push();
  }

  /** Pushes as much as possible, and reads the queue when the backlog runs dry. */
  push(): void {
    if (!this.started || this.stopped) return;
    const now = this.now();
    const pushed: QueuedMessage[] = [];
    while (this.window.mayPush(now) && this.stream.connection.writable) {
      const message = this.backlog.next(this.shared.deps.clock.nowSeconds());
      if (message === undefined) break;
      this.window.pushed(message, now);
      this.deliver(message);
      pushed.push(message);
    }
    passStep("pushed", pushed, idOf);
    if (pushed.length > 0) this.delivered(pushed);
    if (this.wantsRead(now)) void this.read();
    this.reportEmpty();
  }

  private deliver(message: QueuedMessage): void {
    const isLimited = this.maxFrameBytes !== Number.POSITIVE_INFINITY;
    const bytes = isLimited ? deliveryFrameBytes(message) : 0;
    if (bytes <= this.maxFrameBytes) this.stream.connection.sendText(encodeDelivery(message));
    else this.stream.announce({ message_id: message.messageId, frame_bytes: bytes });
  }

  /** While the client acknowledges, the queue is read before the last message of the previous read has been pushed. */
  private wantsRead(now: number): boolean {
    if (now < this.readAgainAt || !this.stream.connection.writable) return false;
    const isNext = this.backlog.wantsRead && this.window.mayPush(now);
    return isNext || (this.acknowledging && this.backlog.wantsMore(this.window.size));
  }

  /** Removes the messages that a frame acknowledges, and answers it once that is committed. Makes room at once. */
  acknowledge(frame: AckRequest): void {
    this.window.heard(this.now());
    this.acknowledging = true;
    const items = this.claimAll(frame);
    passStep("ack_read", items, idOf);
    this.underWay += items.length;
    const removing = this.shared.deps.messages.acknowledge(this.stream.deviceId, items);
    // Awaited in order below; until then a failure must not count as unhandled.
    removing.catch(() => undefined);
    this.answered = this.answered.then(() => this.answerWhenRemoved(frame, items, removing));
    this.push();
  }

  private async answerWhenRemoved(
    frame: AckRequest,
    items: readonly Acknowledgement[],
    removing: Promise<(number | undefined)[]>,
  ): Promise<void> {
    let answers: AckAnswer[];
    try {
      const removed = await removing;
      for (const { position } of items) if (position !== undefined) this.window.release(position);
      for (const position of removed) if (position !== undefined) this.left(position);
      answers = [confirmation(frame, removed)];
    } catch (error) {
      this.shared.deps.logger.warn({ err: error }, "a stream's acknowledgements could not be stored");
      for (const { position } of items) if (position !== undefined) this.window.unclaim(position);
      answers = failedAcknowledgementFrames(error, frame, this.maxFrameBytes);
    }
    const wasFull = this.full;
    this.underWay -= items.length;
    if (this.stopped) return;
    for (const answer of answers) this.stream.answer(answer);
    passStep("ack_answered", items, idOf);
    this.push();
    if (wasFull && !this.full) this.stream.onRoom();
  }

  /** Drops pushed messages that have expired or were acknowledged over HTTP meanwhile. */
  async reconcile(): Promise<void> {
    const oldest = this.window.oldest();
    if (oldest === undefined || this.stopped) return;
    const { deviceId } = this.stream;
    const { deps, reads } = this.shared;
    const bounds = { limit: Math.max(this.window.size, this.window.held), bytes: readBytes };
    const slice = await reads.run(() => deps.messages.readAfter(deviceId, oldest - 1, bounds));
    this.window.keepOnly(new Set(slice.messages.map(({ position }) => position)), completeUpTo(slice, bounds));
    this.push();
  }

  /** The client may know the message from a poll: it may have been pushed by now, or be about to be. */
  private left(position: number): void {
    this.window.release(position);
    this.backlog.left(position);
  }

  private claimAll(frame: AckRequest): Acknowledgement[] {
    const ids = frame.type === "ack" ? [frame.message_id] : frame.message_ids;
    return ids.map((id) => {
      const messageId = parseMessageId(id) ?? id;
      const position = this.window.claim(messageId);
      return position === undefined ? { messageId } : { messageId, position };
    });
  }

  private async read(): Promise<void> {
    const { deps, reads } = this.shared;
    const { deviceId } = this.stream;
    this.backlog.beginRead();
    this.acknowledging = false;
    try {
      const bounds = { limit: Math.max(readLimit, this.window.size), bytes: readBytes };
      const slice = await reads.run(() => deps.messages.readAfter(deviceId, this.backlog.cursor, bounds));
      this.backlog.endRead(slice);
    } catch (error) {
      this.backlog.failRead();
      this.readAgainAt = this.now() + retryMillis;
      if (!this.stopped) deps.logger.warn({ err: error }, "a stream could not read its queue");
    }
    this.push();
  }

  private delivered(messages: QueuedMessage[]): void {
    this.emptyReported = false;
    this.shared.deps.messages.delivered(this.stream.deviceId, this.stream.streamId, messages);
  }

  private reportEmpty(): void {
    if (this.emptyReported || !this.backlog.empty || this.window.held > 0) return;
    this.emptyReported = true;
    this.stream.onEmpty();
  }

  private now(): number {
    return this.shared.deps.clock.nowMillis();
  }
}

function idOf({ messageId }: { messageId: string }): string {
  return messageId;
}

/** The position up to which a slice is complete: its last message if a bound truncated it, otherwise the head. */
function completeUpTo(slice: QueueSlice, bounds: { limit: number; bytes: number }): number {
  const bytes = slice.messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
  const cut = slice.messages.length >= bounds.limit || bytes >= bounds.bytes;
  return cut ? (slice.messages.at(-1)?.position ?? 0) : slice.head;
}

function confirmation(frame: AckRequest, removed: readonly (number | undefined)[]): AckAnswer {
  if (frame.type === "ack") {
    return { type: "ack_confirmed", message_id: frame.message_id, acknowledged: removed[0] !== undefined };
  }
  const count = removed.filter((position) => position !== undefined).length;
  return { type: "ack_batch_confirmed", acknowledged_count: count, failed_count: removed.length - count };
}
