import type { CommittedMessages, QueuedMessage, QueueSlice } from "../messages/model/types.js";
import { mebibyte } from "../protocol/units.js";

/** Limits the bytes of messages that all streams of a node together hold in memory before they can push them. */
export interface HoldBudget {
  readonly limitBytes: number;
  usedBytes: number;
}

/** Memory that a held message takes in addition to its ciphertext. */
const overheadBytes = 400;
/** Maximum bytes that one stream holds; a single message may be larger. */
const holdLimitBytes = mebibyte;

/**
 * How far one stream has read its queue. `cursor` is the position up to which everything has been taken; `held` are
 * messages that were taken and wait for the flow window. `behind` says that there may be more after the cursor, so that
 * the queue must be read; it starts true.
 *
 * Committed messages are appended only if they follow the cursor without a gap. Messages that arrive during a read are
 * examined when the read has ended; otherwise a busy queue, which always has more by then, would be read again and
 * again. In every other case `behind` is set, and the next read finds the messages. So no message is skipped or taken
 * twice, in any order of commits and reads, and a stream that cannot push keeps only a flag.
 */
export class Backlog {
  private readonly budget: HoldBudget;
  private held: QueuedMessage[] = [];
  private heldBytes = 0;
  /**
   * Positions after the cursor that left the queue while a read, or the arrival of their messages, may still be in
   * progress.
   */
  private gone = new Set<number>();
  /** Messages that arrived during a read. */
  private early: CommittedMessages[] = [];
  private earlyBytes = 0;
  private behind = true;
  private reading = false;
  private stopped = false;
  cursor = 0;

  constructor(budget: HoldBudget) {
    this.budget = budget;
  }

  /** Whether everything in the queue has been taken and pushed. */
  get empty(): boolean {
    return !this.behind && !this.reading && this.held.length === 0;
  }

  /** Whether the queue should be read now. */
  get wantsRead(): boolean {
    return this.mayRead && this.held.length === 0;
  }

  /** Whether it may be read although messages are held, because they are fewer than this and memory is left. */
  wantsMore(than: number): boolean {
    const hasRoom = this.heldBytes < holdLimitBytes / 2 && this.budget.usedBytes < this.budget.limitBytes / 2;
    return this.mayRead && hasRoom && this.held.length < than;
  }

  private get mayRead(): boolean {
    return this.behind && !this.reading && !this.stopped;
  }

  /** Messages were committed. */
  arrived(committed: CommittedMessages): void {
    if (this.stopped || committed.head <= this.cursor) return;
    if (this.reading) this.keep(committed);
    else this.append(committed);
  }

  /** There may be messages that did not arrive here. */
  wake(): void {
    this.behind = true;
  }

  /** A read after the cursor begins. */
  beginRead(): void {
    this.reading = true;
    this.behind = false;
    this.gone.clear();
  }

  /** A read has ended. An empty slice means that nothing is left up to its head. */
  endRead(slice: QueueSlice): void {
    this.reading = false;
    if (this.stopped) return;
    for (const message of slice.messages) this.take(message);
    const last = slice.messages.at(-1);
    if (last === undefined) this.cursor = Math.max(this.cursor, slice.head);
    else if (last.position < slice.head) this.behind = true;
    for (const early of this.releaseEarly()) if (early.head > this.cursor) this.append(early);
  }

  /** The message at this position was acknowledged before it was pushed. */
  left(position: number): void {
    const found = this.held.findIndex((message) => message.position === position);
    for (const message of found < 0 ? [] : this.held.splice(found, 1)) this.account(-cost(message));
    const mayCome = position > this.cursor && (this.reading || !this.behind);
    if (mayCome) this.gone.add(position);
  }

  /** A read failed and must be repeated. */
  failRead(): void {
    this.reading = false;
    this.behind = true;
    this.releaseEarly();
  }

  /** The next message to push. `now`, in Unix seconds, decides which have expired while they were held. */
  next(now: number): QueuedMessage | undefined {
    for (let message = this.held.shift(); message !== undefined; message = this.held.shift()) {
      this.account(-cost(message));
      if (message.expiresAt === undefined || message.expiresAt > now) return message;
    }
    return undefined;
  }

  /** Ends the backlog and returns its bytes. */
  stop(): void {
    this.stopped = true;
    this.releaseEarly();
    this.account(-this.heldBytes);
    this.held = [];
  }

  private append({ from, head, messages }: CommittedMessages): void {
    if (this.behind || from > this.cursor) {
      this.behind = true;
      return;
    }
    for (const message of messages) {
      if (message.position <= this.cursor) continue;
      if (!this.mayHold(cost(message), this.heldBytes)) {
        this.behind = true;
        return;
      }
      this.take(message);
    }
    this.cursor = head;
  }

  private keep(committed: CommittedMessages): void {
    const bytes = committed.messages.reduce((sum, message) => sum + cost(message), 0);
    if (!this.mayHold(bytes, this.earlyBytes)) {
      this.behind = true;
      return;
    }
    this.budget.usedBytes += bytes;
    this.earlyBytes += bytes;
    this.early.push(committed);
  }

  /** Returns the messages that were kept during a read, in the order of the queue, and forgets them. */
  private releaseEarly(): CommittedMessages[] {
    const { early } = this;
    this.early = [];
    this.budget.usedBytes -= this.earlyBytes;
    this.earlyBytes = 0;
    return early.sort((a, b) => a.from - b.from);
  }

  private mayHold(bytes: number, besides: number): boolean {
    if (this.budget.usedBytes + bytes > this.budget.limitBytes) return false;
    return besides === 0 || besides + bytes <= holdLimitBytes;
  }

  private take(message: QueuedMessage): void {
    this.cursor = message.position;
    if (this.gone.delete(message.position)) return;
    this.account(cost(message));
    this.held.push(message);
  }

  private account(bytes: number): void {
    this.heldBytes += bytes;
    this.budget.usedBytes += bytes;
  }
}

function cost(message: QueuedMessage): number {
  return message.ciphertext.length + overheadBytes;
}
