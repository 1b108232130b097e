import type { QueuedMessage, QueueSlice } from "../mailbox/service.js";

/** Bytes of messages that all streams of a node together keep in memory before they can push them. */
export interface HoldBudget {
  readonly limitBytes: number;
  usedBytes: number;
}

/** What a held message costs besides its ciphertext. */
const overheadBytes = 400;
/** Most that one stream holds; a single message may be larger. */
const holdLimitBytes = 1024 * 1024;

/**
 * How far one stream has read its queue. `cursor` is the position up to which everything has been taken; `held` are
 * messages that were taken and wait for the window. `behind` says that there may be more after the cursor, so that the
 * queue must be read; it starts true.
 *
 * News of a commit is appended only where it follows the cursor without a gap and no reading is under way; in every other
 * case it is merely noted as `behind`, and the next reading finds it. So a message is neither skipped nor taken twice,
 * whatever the order of news and readings, and a stream that cannot push keeps nothing but a flag.
 */
export class Backlog {
  private readonly budget: HoldBudget;
  private held: QueuedMessage[] = [];
  private heldBytes = 0;
  /** Positions after the cursor that left the queue while a reading or the news of them may be on its way. */
  private gone = new Set<number>();
  private behind = true;
  private reading = false;
  private stopped = false;
  cursor = 0;

  constructor(budget: HoldBudget) {
    this.budget = budget;
  }

  /** Whether everything in the queue has been taken and handed on. */
  get empty(): boolean {
    return !this.behind && !this.reading && this.held.length === 0;
  }

  /** Whether the queue should be read now. */
  get wantsReading(): boolean {
    return this.behind && !this.reading && !this.stopped && this.held.length === 0;
  }

  /** Messages were committed; `from` is the head before them, `head` the one after. */
  arrived(event: { from: number; head: number; messages: readonly QueuedMessage[] }): void {
    if (this.stopped || event.head <= this.cursor) return;
    if (this.behind || this.reading || event.from !== this.cursor) {
      this.behind = true;
      return;
    }
    for (const message of event.messages) {
      if (!this.hold(message)) {
        this.behind = true;
        return;
      }
      this.cursor = message.position;
    }
    this.cursor = event.head;
  }

  /** There may be something that was not told. */
  wake(): void {
    this.behind = true;
  }

  /** A reading after the cursor begins. What arrives meanwhile sets `behind` again. */
  beginReading(): void {
    this.reading = true;
    this.behind = false;
    this.gone.clear();
  }

  /** What the reading found. An empty slice means that nothing is left up to its head. */
  endReading(slice: QueueSlice): void {
    this.reading = false;
    if (this.stopped) return;
    for (const message of slice.messages) this.take(message);
    const last = slice.messages.at(-1);
    if (last === undefined) this.cursor = Math.max(this.cursor, slice.head);
    else if (last.position < slice.head) this.behind = true;
  }

  /** The message at this position was acknowledged before it was pushed. */
  left(position: number): void {
    const found = this.held.findIndex((message) => message.position === position);
    for (const message of found < 0 ? [] : this.held.splice(found, 1)) this.account(-cost(message));
    const mayCome = position > this.cursor && (this.reading || !this.behind);
    if (mayCome) this.gone.add(position);
  }

  /** The reading failed; it must be repeated. */
  failReading(): void {
    this.reading = false;
    this.behind = true;
  }

  /** The next message to push. */
  next(): QueuedMessage | undefined {
    const message = this.held.shift();
    if (message !== undefined) this.account(-cost(message));
    return message;
  }

  /** Ends it and gives back what it held. */
  stop(): void {
    this.stopped = true;
    this.account(-this.heldBytes);
    this.held = [];
  }

  private hold(message: QueuedMessage): boolean {
    const bytes = cost(message);
    if (this.budget.usedBytes + bytes > this.budget.limitBytes) return false;
    if (this.held.length > 0 && this.heldBytes + bytes > holdLimitBytes) return false;
    this.take(message);
    return true;
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
