// Recipients that have to wait, the wait of this device for its own relay, and which of these waits the application has been told of.

import type { ErrorName } from "../../client/index.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import type { Key } from "../store/record-keys.js";
import type { OutboxItem } from "../store/records.js";
import type { Entry } from "./outbox.js";

/** A recipient that has to wait. */
interface Block {
  untilMillis: number;
  failures: number;
  /** Why; missing if nobody has to know. */
  error?: ErrorName;
}

/** Why something waits, and until when. */
interface Delay {
  error: ErrorName;
  retryAtMillis: number;
}

/** A delay of an item that the application does not know of yet. */
interface DelayNews {
  key: Key<OutboxItem>;
  delay: Delay;
  event: { group: string; message?: string; addresses: string[] } & Delay;
}

export const firstPauseMillis = 1_000;
export const longestPauseMillis = 60_000;
export const pauses = { first: firstPauseMillis, longest: longestPauseMillis };
/** Shorter waits are told to nobody. */
const toldMillis = 20_000;

export class RecipientWaits {
  readonly #blocks = new Map<string, Block>();
  /** The delays that the application was told of, by the keys of items. */
  readonly #told = new Map<string, Delay>();
  /** The relay takes nothing of this device until then. */
  #limit: Delay | undefined;

  get isEmpty(): boolean {
    return this.#limit === undefined && this.#blocks.size === 0;
  }

  isBlocked(to: string, atMillis: number): boolean {
    return (this.#blocks.get(to)?.untilMillis ?? 0) > atMillis;
  }

  /** A recipient's relay has refused a copy for now: each time, the recipient waits longer. */
  refused(to: string, { error, now, retryAfter }: { error: ErrorName; now: number; retryAfter: number }): void {
    const failures = 1 + (this.#blocks.get(to)?.failures ?? 1);
    const pauseMillis = Math.max(doublingWait(failures, pauses), 1000 * retryAfter);
    this.#blocks.set(to, { untilMillis: now + pauseMillis, failures, error });
  }

  /** A recipient waits until `end`. */
  begin(to: string): void {
    this.#blocks.set(to, { untilMillis: Number.POSITIVE_INFINITY, failures: 1 });
  }

  end(to: string): void {
    this.#blocks.delete(to);
  }

  endAll(): void {
    this.#blocks.clear();
  }

  limit(delay: Delay | undefined): void {
    this.#limit = delay;
  }

  /** When the first wait ends of those that recipients have at this time. */
  nextEnd(atMillis: number): number {
    const ends = [...this.#blocks.values()].map(({ untilMillis }) => untilMillis);
    return Math.min(...ends.filter((millis) => millis > atMillis));
  }

  /** What waits for long: each item once, and again if a limit has not ended when it was to end. */
  news(entries: Iterable<Entry>, now: number): DelayNews[] {
    const news = [...entries].flatMap((entry) => {
      const { group, message, isQuiet, copies } = entry.item;
      const waiting = copies.flatMap(({ to }) => this.#delayOf(to) ?? []);
      const [delay] = waiting.sort((a, b) => b.retryAtMillis - a.retryAtMillis);
      const told = this.#told.get(entry.key);
      const isNext = delay?.error === "RATE_LIMIT_EXCEEDED" && told !== undefined && told.retryAtMillis <= now;
      const isNews = delay !== undefined && (told?.error !== delay.error || isNext);
      if (isQuiet || !isNews || delay.retryAtMillis - now < toldMillis) return [];
      const addresses = copies.map(({ to }) => to).filter((to) => this.#delayOf(to) !== undefined);
      return [{ key: entry.key, delay, event: { group, ...(message && { message }), addresses, ...delay } }];
    });
    for (const { key, delay } of news) this.#told.set(key, delay);
    return news;
  }

  /** An item has gone. */
  forget(key: string): void {
    this.#told.delete(key);
  }

  #delayOf(to: string): Delay | undefined {
    if (this.#limit !== undefined) return this.#limit;
    const { error, untilMillis = 0 } = this.#blocks.get(to) ?? {};
    return error === undefined ? undefined : { error, retryAtMillis: untilMillis };
  }
}
