// What the outbox sends next: copies go in the order in which they were posted, but not past one that their recipient has to wait for.

import type { Copy, Entry } from "./outbox.js";
import { longestPauseMillis, type RecipientWaits } from "./recipient-waits.js";

/**
 * One walk through all items, oldest first. A recipient that has to wait for one of them gets none of the later ones in this pass: later
 * copies must not overtake earlier ones.
 */
interface Pass {
  readonly begunMillis: number;
  readonly entries: Iterator<Entry, undefined>;
  /** The item that it has come to. */
  entry: Entry | undefined;
  /** Recipients of items that are held until it is known whether they are still to be sent. */
  readonly held: Set<string>;
  hasSent: boolean;
}

/** What can be sent now, or how long nothing can be. */
type Due = { batch: readonly Copy[] } | { waitMillis: number };

const maxBatch = 100;
const maxBatchBytes = 8 * 1024 * 1024;

export class NextBatch {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #waits: RecipientWaits;
  readonly #isHeld: (entry: Entry, now: number) => boolean;
  #size = maxBatch;
  #pass: Pass | undefined;

  constructor(
    entries: ReadonlyMap<string, Entry>,
    waits: RecipientWaits,
    /** Whether an item waits until it is known whether it is still to be sent. */
    isHeld: (entry: Entry, now: number) => boolean,
  ) {
    this.#entries = entries;
    this.#waits = waits;
    this.#isHeld = isHeld;
  }

  /** Goes through all items again: something that had to wait may be sent now. */
  beginAgain(): void {
    this.#pass = undefined;
  }

  /** A batch was refused as a whole: the next one is half as large. */
  halve(refused: readonly Copy[]): void {
    this.#size = Math.ceil(refused.length / 2);
  }

  grow(): void {
    this.#size = Math.min(maxBatch, 2 * this.#size);
  }

  /**
   * The oldest copies whose recipients do not wait. Several copies of one item go alone, because they count as one message; single
   * ones go together.
   */
  due(now: number): Due {
    if (this.#pass !== undefined && this.#waits.nextEnd(this.#pass.begunMillis) <= now) this.#pass = undefined;
    this.#pass ??= {
      begunMillis: now,
      entries: this.#entries.values(),
      entry: undefined,
      held: new Set(),
      hasSent: false,
    };
    const pass = this.#pass;
    const batch = this.#batchOf(pass);
    if (batch.length > 0) {
      pass.hasSent = true;
      return { batch };
    }
    this.#pass = undefined;
    // What was posted meanwhile, or has had to wait, may be due by now.
    if (pass.hasSent) return this.due(now);
    return { waitMillis: Math.min(longestPauseMillis, this.#waits.nextEnd(now) - now) };
  }

  #batchOf(pass: Pass): Copy[] {
    const batch: Copy[] = [];
    const lastBytes = new Map<string, number>();
    let bytes = 0;
    for (;;) {
      pass.entry ??= pass.entries.next().value;
      const { entry } = pass;
      if (entry === undefined) return batch;
      if (this.#isHeld(entry, pass.begunMillis)) for (const { to } of entry.item.copies) pass.held.add(to);
      const mustWait = (to: string) => pass.held.has(to) || this.#waits.isBlocked(to, pass.begunMillis);
      const copies = entry.item.copies.filter(({ to }) => !mustWait(to));
      if (batch.length > 0 && copies.length > 1) return batch;
      for (const message of copies) {
        const { to, ciphertext } = message;
        const isFull = batch.length >= this.#size || bytes + ciphertext.length > maxBatchBytes;
        // A queue that has no room for a message may have room for a smaller one, which would overtake it.
        const mayOvertake = ciphertext.length < (lastBytes.get(to) ?? 0);
        if (batch.length > 0 && (isFull || mayOvertake)) return batch;
        batch.push({ entry, message });
        lastBytes.set(to, ciphertext.length);
        bytes += ciphertext.length;
      }
      // What is left of several copies comes next.
      if (copies.length > 1) return batch;
      pass.entry = undefined;
    }
  }
}
