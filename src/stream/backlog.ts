import type { QueuedMessage, QueueSlice } from "../messages/mailbox.js";
import { mebibyte } from "../protocol/units.js";

/** Bytes of messages that all streams of a node together keep in memory before they can push them. */
export interface HoldBudget {
  readonly limitBytes: number;
  usedBytes: number;
}

/** What a held message costs besides its ciphertext. */
const overheadBytes = 400;
/** Most that one stream holds; a single message may be larger. */
const holdLimitBytes = mebibyte;

/** Messages that were committed; `from` is the head before them, `head` the one after. */
interface News {
  from: number;
  head: number;
  messages: readonly QueuedMessage[];
}

/**
 * How far one stream has read its queue. `cursor` is the position up to which everything has been taken; `held` are
 * messages that were taken and wait for the window. `behind` says that there may be more after the cursor, so that the
 * queue must be read; it starts true.
 *
 * News of a commit is appended only where it follows the cursor without a gap. What comes while a reading is under way is
 * looked at when that has ended: else a busy queue would be read again and again, since there is always more by then. In
 * every other case it is merely noted as `behind`, and the next reading finds it. So a message is neither skipped nor taken
 * twice, whatever the order of news and readings, and a stream that cannot push keeps nothing but a flag.
 */
export class Backlog {
  private readonly budget: HoldBudget;
  private held: QueuedMessage[] = [];
  private heldBytes = 0;
  /** Positions after the cursor that left the queue while a reading or the news of them may be on its way. */
  private gone = new Set<number>();
  /** News that came while a reading was under way. */
  private early: News[] = [];
  private earlyBytes = 0;
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

  /** Something was committed. */
  arrived(news: News): void {
    if (this.stopped || news.head <= this.cursor) return;
    if (this.reading) this.keep(news);
    else this.append(news);
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
    for (const news of this.letGo()) if (news.head > this.cursor) this.append(news);
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
    this.letGo();
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
    this.letGo();
    this.account(-this.heldBytes);
    this.held = [];
  }

  private append({ from, head, messages }: News): void {
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

  private keep(news: News): void {
    const bytes = news.messages.reduce((sum, message) => sum + cost(message), 0);
    if (!this.mayHold(bytes, this.earlyBytes)) {
      this.behind = true;
      return;
    }
    this.budget.usedBytes += bytes;
    this.earlyBytes += bytes;
    this.early.push(news);
  }

  /** What was kept during a reading, in the order of the queue; from now on nobody has it. */
  private letGo(): News[] {
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
