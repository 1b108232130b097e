import type {
  AckBatchConfirmedFrame,
  AckBatchFrame,
  AckConfirmedFrame,
  AckFrame,
  ErrorFrame,
} from "../../generated/frames.js";
import type { Acknowledgement, CommittedMessages, QueuedMessage, QueueSlice } from "../messages/types.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { kibibyte } from "../protocol/units.js";
import { Backlog, type HoldBudget } from "./backlog.js";
import type { Connection } from "./connection.js";
import { FlowWindow } from "./flow-window.js";
import { encodeDelivery, errorFrame } from "./frames.js";
import type { ReadSlots } from "./read-slots.js";
import type { StreamDeps } from "./types.js";

/** State that all streams of a node share for their delivery. */
export interface DeliveryShared {
  readonly deps: StreamDeps;
  readonly budget: HoldBudget;
  readonly reads: ReadSlots;
}

export type AckRequest = AckFrame | AckBatchFrame;
export type AckAnswer = AckConfirmedFrame | AckBatchConfirmedFrame | ErrorFrame;

const readLimit = 100;
const readBytes = 256 * kibibyte;
/** After a failed read the next one waits this long. */
const retryMillis = 2_000;

/**
 * Delivers the queue of one device. Messages are taken from the backlog and pushed while the window has room and the
 * socket accepts data; acknowledged ones leave the queue and make room. When the queue is empty and everything pushed is
 * acknowledged, `onEmpty` is called, once until the next push.
 */
export class Delivery {
  private readonly shared: DeliveryShared;
  private readonly stream: { deviceId: string; streamId: string; connection: Connection; onEmpty: () => void };
  private readonly window: FlowWindow;
  private readonly backlog: Backlog;
  private stopped = false;
  private started = false;
  private emptyReported = false;
  private readAgainAt = 0;

  constructor(shared: DeliveryShared, stream: Delivery["stream"]) {
    const { streamWindow, ackTimeoutSeconds } = shared.deps.config;
    this.shared = shared;
    this.stream = stream;
    this.window = new FlowWindow({ size: streamWindow, ackTimeoutMillis: ackTimeoutSeconds * 1000 });
    this.backlog = new Backlog(shared.budget);
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
    this.backlog.arrived(event);
    this.push();
  }

  wake(): void {
    this.backlog.wake();
    this.push();
  }

  /** Pushes as much as possible, and reads the queue where the backlog runs dry. */
  push(): void {
    if (!this.started || this.stopped) return;
    const now = this.now();
    const pushed: QueuedMessage[] = [];
    while (this.window.mayPush(now) && this.stream.connection.writable) {
      const message = this.backlog.next();
      if (message === undefined) break;
      this.window.pushed(message, now);
      this.stream.connection.sendText(encodeDelivery(message));
      pushed.push(message);
    }
    if (pushed.length > 0) this.delivered(pushed);
    if (
      this.backlog.wantsRead &&
      now >= this.readAgainAt &&
      this.window.mayPush(now) &&
      this.stream.connection.writable
    ) {
      void this.read();
    }
    this.reportEmpty();
  }

  /** Removes the messages that the frames acknowledge, in one batch, and answers each frame. Never throws. */
  async acknowledge(frames: readonly AckRequest[]): Promise<AckAnswer[]> {
    this.window.heard(this.now());
    const lists = frames.map((frame) => this.claimAll(frame));
    const items = lists.flat();
    try {
      const removed = await this.shared.deps.messages.acknowledge(this.stream.deviceId, items);
      for (const { position } of items) if (position !== undefined) this.window.release(position);
      for (const position of removed) if (position !== undefined) this.left(position);
      let taken = 0;
      return frames.map((frame, index) => {
        const size = lists[index]?.length ?? 0;
        taken += size;
        return confirmation(frame, items[taken - size]?.messageId ?? "", removed.slice(taken - size, taken));
      });
    } catch (error) {
      this.shared.deps.logger.warn({ err: error }, "a stream's acknowledgements could not be stored");
      for (const { position } of items) if (position !== undefined) this.window.unclaim(position);
      return frames.map((frame, index) =>
        errorFrame(error, frame.type === "ack" ? lists[index]?.[0]?.messageId : undefined),
      );
    }
  }

  /** Drops pushed messages that have expired or were acknowledged over HTTP meanwhile. */
  async reconcile(): Promise<void> {
    const oldest = this.window.oldest();
    if (oldest === undefined || this.stopped) return;
    const { deviceId } = this.stream;
    const { deps, reads } = this.shared;
    const bounds = { limit: deps.config.streamWindow, bytes: readBytes };
    const slice = await reads.run(() => deps.messages.readAfter(deviceId, oldest - 1, bounds));
    this.window.keepOnly(new Set(slice.messages.map(({ position }) => position)), completeUpTo(slice, bounds));
    this.push();
  }

  /** The client may have known the message from a poll: it may have been pushed by now, or be about to be. */
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
    try {
      const bounds = { limit: readLimit, bytes: readBytes };
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
    if (this.emptyReported || !this.backlog.empty || this.window.size > 0) return;
    this.emptyReported = true;
    this.stream.onEmpty();
  }

  private now(): number {
    return this.shared.deps.clock.nowMillis();
  }
}

/** The position up to which a slice is complete: its last message if a bound cut it short, otherwise the head. */
function completeUpTo(slice: QueueSlice, bounds: { limit: number; bytes: number }): number {
  const bytes = slice.messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
  const cut = slice.messages.length >= bounds.limit || bytes >= bounds.bytes;
  return cut ? (slice.messages.at(-1)?.position ?? 0) : slice.head;
}

function confirmation(frame: AckRequest, messageId: string, removed: readonly (number | undefined)[]): AckAnswer {
  if (frame.type === "ack") {
    return { type: "ack_confirmed", message_id: messageId, acknowledged: removed[0] !== undefined };
  }
  const count = removed.filter((position) => position !== undefined).length;
  return { type: "ack_batch_confirmed", acknowledged_count: count, failed_count: removed.length - count };
}
