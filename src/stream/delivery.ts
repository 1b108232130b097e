import type {
  AckBatchConfirmedFrame,
  AckBatchFrame,
  AckConfirmedFrame,
  AckFrame,
  ErrorFrame,
} from "../../generated/frames.js";
import type { Acknowledgement, QueuedMessage, QueueSlice } from "../messages/mailbox.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { kibibyte } from "../protocol/units.js";
import { Backlog, type HoldBudget } from "./backlog.js";
import { deliveryFrame, errorFrame } from "./frames.js";
import type { StreamDeps } from "./options.js";
import type { Outlet } from "./outlet.js";
import type { ReadSlots } from "./read-slots.js";
import { FlowWindow } from "./window.js";

/** What all streams of a node share for their delivery. */
export interface DeliveryShared {
  readonly deps: StreamDeps;
  readonly budget: HoldBudget;
  readonly reads: ReadSlots;
}

export type AckRequest = AckFrame | AckBatchFrame;
export type AckAnswer = AckConfirmedFrame | AckBatchConfirmedFrame | ErrorFrame;

const readLimit = 100;
const readBytes = 256 * kibibyte;
/** After a failed reading the next one waits this long. */
const retryMillis = 2_000;

/**
 * The way of the queue to one device: what is queued is taken from the backlog and pushed while the window has room and the
 * socket takes it; what is acknowledged leaves the queue and makes room. Whenever the queue has become empty and
 * everything pushed is acknowledged, `onEmpty` is called, once until the next push.
 */
export class Delivery {
  private readonly shared: DeliveryShared;
  private readonly stream: { deviceId: string; streamId: string; outlet: Outlet; onEmpty: () => void };
  private readonly window: FlowWindow;
  private readonly backlog: Backlog;
  private stopped = false;
  private started = false;
  private emptyTold = false;
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

  /** Nothing is pushed any more. */
  stop(): void {
    this.stopped = true;
    this.backlog.stop();
  }

  arrived(event: { from: number; head: number; messages: QueuedMessage[] }): void {
    this.backlog.arrived(event);
    this.push();
  }

  wake(): void {
    this.backlog.wake();
    this.push();
  }

  /** Pushes what may be pushed, and reads on where that runs dry. */
  push(): void {
    if (!this.started || this.stopped) return;
    const now = this.now();
    const pushed: QueuedMessage[] = [];
    while (this.window.mayPush(now) && this.stream.outlet.writable) {
      const message = this.backlog.next();
      if (message === undefined) break;
      this.window.pushed(message, now);
      this.stream.outlet.send(deliveryFrame(message));
      pushed.push(message);
    }
    if (pushed.length > 0) this.delivered(pushed);
    if (
      this.backlog.wantsReading &&
      now >= this.readAgainAt &&
      this.window.mayPush(now) &&
      this.stream.outlet.writable
    ) {
      void this.read();
    }
    this.tellEmpty();
  }

  /** Removes what the frames acknowledge, all at once, and answers each frame. Never throws. */
  async acknowledge(frames: readonly AckRequest[]): Promise<AckAnswer[]> {
    this.window.heard(this.now());
    const lists = frames.map((frame) => this.claimAll(frame));
    const items = lists.flat();
    try {
      const removed = await this.shared.deps.mailbox.acknowledge(this.stream.deviceId, items);
      for (const { position } of items) if (position !== undefined) this.window.release(position);
      for (const position of removed) if (position !== undefined) this.left(position);
      let taken = 0;
      return frames.map((frame, index) => {
        const size = lists[index]?.length ?? 0;
        taken += size;
        return confirmation(frame, items[taken - size]?.messageId ?? "", removed.slice(taken - size, taken));
      });
    } catch (error) {
      for (const { position } of items) if (position !== undefined) this.window.unclaim(position);
      return frames.map((frame, index) =>
        errorFrame(error, frame.type === "ack" ? lists[index]?.[0]?.messageId : undefined),
      );
    }
  }

  /** Lets go of pushed messages that have meanwhile expired or been acknowledged over HTTP. */
  async reconcile(): Promise<void> {
    const oldest = this.window.oldest();
    if (oldest === undefined || this.stopped) return;
    const { deviceId } = this.stream;
    const { deps, reads } = this.shared;
    const bounds = { limit: deps.config.streamWindow, bytes: readBytes };
    const slice = await reads.run(() => deps.mailbox.readAfter(deviceId, oldest - 1, bounds));
    this.window.keepOnly(new Set(slice.messages.map(({ position }) => position)), completeUpTo(slice, bounds));
    this.push();
  }

  /** A message that the client knew from elsewhere may be out by now, or about to be. */
  private left(position: number): void {
    this.window.release(position);
    this.backlog.left(position);
  }

  private claimAll(frame: AckRequest): Acknowledgement[] {
    const ids = frame.type === "ack" ? [frame.message_id] : frame.message_ids;
    return ids.map((spelled) => {
      const messageId = parseMessageId(spelled) ?? spelled;
      const position = this.window.claim(messageId);
      return position === undefined ? { messageId } : { messageId, position };
    });
  }

  private async read(): Promise<void> {
    const { deps, reads } = this.shared;
    const { deviceId } = this.stream;
    this.backlog.beginReading();
    try {
      const bounds = { limit: readLimit, bytes: readBytes };
      const slice = await reads.run(() => deps.mailbox.readAfter(deviceId, this.backlog.cursor, bounds));
      this.backlog.endReading(slice);
    } catch (error) {
      this.backlog.failReading();
      this.readAgainAt = this.now() + retryMillis;
      if (!this.stopped) deps.logger.warn({ err: error }, "a stream could not read its queue");
    }
    this.push();
  }

  private delivered(messages: QueuedMessage[]): void {
    this.emptyTold = false;
    this.shared.deps.mailbox.delivered(this.stream.deviceId, this.stream.streamId, messages);
  }

  private tellEmpty(): void {
    if (this.emptyTold || !this.backlog.empty || this.window.size > 0) return;
    this.emptyTold = true;
    this.stream.onEmpty();
  }

  private now(): number {
    return this.shared.deps.clock.nowMillis();
  }
}

/** A slice that was cut short by a bound tells nothing about what lies behind its last message. */
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
