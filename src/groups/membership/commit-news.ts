// News of commits from other members, until this device examines it. Any member can send news that proves nothing, so the more of it there is,
// the less often it makes this device read the slots.

import { doublingWait } from "../../protocol/doubling-wait.js";
import type { CommitNews } from "../encoding/content.js";
import type { DeviceCore } from "../sending/device-core.js";
import { callLater } from "../sending/retry.js";

/** The most news that may lead to no further epoch. */
const maxVainNews = 8;
const firstReadingMillis = 1_500;
const longestReadingMillis = 60_000;
/** Past epochs that are examined again together. */
const maxReviews = 16;

export class NewsOfCommits {
  readonly #sleep: DeviceCore["sleep"];
  readonly #readSlots: () => void;
  #news: CommitNews[] = [];
  /** News since the epoch was entered, about it or past ones. */
  #vain = 0;
  /** Past epochs whose commits may have been replaced. */
  readonly #reviews = new Set<number>();
  readonly #reviewsPutOff = new Set<number>();
  readonly #read = () => {
    this.#vain += 1;
    for (const epoch of this.#reviewsPutOff) this.#reviews.add(epoch);
    this.#reviewsPutOff.clear();
    this.#readSlots();
  };

  /** `readSlots` is called when it is time to read the slots instead of further news. */
  constructor({ sleep }: Pick<DeviceCore, "sleep">, readSlots: () => void) {
    this.#sleep = sleep;
    this.#readSlots = readSlots;
  }

  get isEmpty(): boolean {
    return this.#news.length === 0;
  }

  get hasReviews(): boolean {
    return this.#reviews.size > 0;
  }

  /** Whether so much news was useless that only news with a proof is examined. */
  get isDoubtful(): boolean {
    return this.#vain >= maxVainNews;
  }

  /** The slot has any news that is dropped here. */
  add(news: CommitNews): void {
    if (this.#news.length < maxVainNews) this.#news.push(news);
    else this.readLater();
  }

  take(): CommitNews | undefined {
    return this.#news.shift();
  }

  /** The slots are read because of it. */
  noteRead(): void {
    this.#vain += 1;
  }

  addReview(epoch: number): void {
    if (!this.isDoubtful) {
      this.#vain += 1;
      this.#reviews.add(epoch);
    } else {
      if (this.#reviewsPutOff.size < maxReviews) this.#reviewsPutOff.add(epoch);
      this.readLater();
    }
  }

  /** Epochs that this device itself knows to be disputed. */
  reviewAll(epochs: readonly number[]): void {
    for (const epoch of epochs) this.#reviews.add(epoch);
  }

  takeReview(): number | undefined {
    const [epoch] = this.#reviews;
    if (epoch !== undefined) this.#reviews.delete(epoch);
    return epoch;
  }

  dropReviews(): void {
    this.#reviews.clear();
  }

  readLater(): void {
    const wait = { first: firstReadingMillis, longest: longestReadingMillis };
    callLater(this.#sleep, doublingWait(this.#vain - maxVainNews + 1, wait), this.#read);
  }

  /** The group has entered another epoch. */
  entered(): void {
    this.#vain = 0;
  }
}
