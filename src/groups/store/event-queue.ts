import type { KeptEvent, StoredEvent } from "./events.js";
import type { Ledger, Transaction } from "./ledger.js";
import { completeEvent } from "./messages.js";
import { eventPrefix, numbered, restOf } from "./record-keys.js";

const page = 100;

/** Removes events that the application has not asked for yet. */
export async function dropEvents(transaction: Transaction, isMeant: (event: KeptEvent) => boolean): Promise<void> {
  for (const [key, event] of await transaction.readAll(eventPrefix)) if (isMeant(event)) transaction.remove(key);
}

/**
 * The stored events, oldest first. An event is removed after the application has asked for the next one, so it may come again after a
 * crash; its `seq` tells.
 */
export class EventQueue {
  readonly #ledger: Ledger;
  #reader: EventReader | undefined;
  #hasEnded = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A new reader ends the one before it. */
  read(): AsyncIterableIterator<StoredEvent> {
    this.#reader?.end();
    this.#reader = new EventReader(this.#ledger);
    if (this.#hasEnded) this.#reader.end();
    return this.#reader;
  }

  end(): void {
    this.#hasEnded = true;
    this.#reader?.end();
  }
}

class EventReader implements AsyncIterableIterator<StoredEvent> {
  readonly #ledger: Ledger;
  readonly #unsubscribe: () => void;
  #waiting: (KeptEvent & { seq: number })[] = [];
  /** Key of the last event that was handed out: it is removed before another one is. */
  #handed: string | undefined;
  #wake: (() => void) | undefined;
  #hasEnded = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#unsubscribe = ledger.subscribe(() => this.#wake?.());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Calls are carried out one after another, as those of a generator are. */
  next(): Promise<IteratorResult<StoredEvent>> {
    const next = () => this.#next();
    const asked = this.#last.then(next, next);
    this.#last = asked;
    return asked;
  }

  async #next(): Promise<IteratorResult<StoredEvent>> {
    try {
      for (;;) {
        if (this.#hasEnded) return { done: true, value: undefined };
        await this.#removeHanded();
        const news = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if (this.#waiting.length === 0) await this.#refill();
        const next = this.#hasEnded ? undefined : this.#waiting.shift();
        if (next !== undefined) {
          this.#handed = numbered(eventPrefix, next.seq);
          const event = await completeEvent(this.#ledger, next);
          if (event !== undefined) return { done: false, value: event };
          continue;
        }
        if (!this.#hasEnded) await news;
      }
    } catch (problem) {
      // The device was closed meanwhile.
      if (this.#hasEnded) return { done: true, value: undefined };
      throw problem;
    }
  }

  async return(): Promise<IteratorResult<StoredEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  end(): void {
    this.#hasEnded = true;
    this.#unsubscribe();
    this.#wake?.();
  }

  async #refill(): Promise<void> {
    const found = await this.#ledger.readAll(eventPrefix, { limit: page });
    this.#waiting = found.map(([key, event]) => ({ ...event, seq: Number(restOf(key, eventPrefix)) }));
  }

  async #removeHanded(): Promise<void> {
    if (this.#handed === undefined) return;
    await this.#ledger.store.write([[this.#handed, undefined]]);
    this.#handed = undefined;
  }
}
