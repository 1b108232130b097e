// Removes what is stored for a limited time only, while the device runs: a bot may run for years. Each step looks at a few keys, and there are more steps
// the more is stored, so neither the work nor what is left behind grows with the time.

import { encodeHex } from "../protocol/encodings.js";
import type { Core } from "./core.js";
import type { EventQueue } from "./event-queue.js";
import type { Membership } from "./membership.js";
import { decodeRecord } from "./records.js";

/** Records with `at`, in seconds since 1970. What follows in their keys is random hex. */
const prefixes = ["seen/", "effect/", "moved/", "request/"];
/** Longer than a relay keeps a message: a device may have been off while it was in the queue. */
export const maxKeptSeconds = 60 * 86_400;
/** A step follows after so much was stored. It looks at more keys than have been added, so that it comes to all of them. */
const storedPerStep = 100;
const keysPerStep = 200;
/** While most of what is found is too old. */
const maxPages = 10;
/** The queue of events has to be read as a whole. */
const stepsPerEvents = 10;

export class Pruning {
  readonly #core: Core;
  readonly #queue: EventQueue;
  readonly #memberships: ReadonlyMap<string, Membership>;
  /** Behind which key to look next, by prefix. */
  readonly #after = new Map<string, string>();
  #stored = 0;
  #steps = 0;
  #isRunning = false;

  constructor(core: Core, { queue, memberships }: { queue: EventQueue; memberships: ReadonlyMap<string, Membership> }) {
    this.#core = core;
    this.#queue = queue;
    this.#memberships = memberships;
    core.ledger.subscribe((event) => {
      if ("seq" in event) this.count(1);
    });
  }

  /** So much may have been stored. */
  count(stored: number): void {
    this.#stored += stored;
    if (this.#stored < storedPerStep || this.#isRunning) return;
    this.#stored = 0;
    this.#isRunning = true;
    this.step()
      .catch((problem: unknown) => {
        if (!this.#core.closing.aborted) this.#core.problem(problem);
      })
      .finally(() => {
        this.#isRunning = false;
      });
  }

  async step(): Promise<void> {
    const { ledger } = this.#core;
    if (this.#steps++ % stepsPerEvents === 0) await this.#queue.dropSurplus();
    for (const prefix of prefixes) await this.#dropOld(prefix);
    await ledger.inTurn(async (transaction) => {
      for (const membership of this.#memberships.values()) membership.dropPast(transaction);
      await transaction.commit();
    });
  }

  async #dropOld(prefix: string): Promise<void> {
    const { ledger, nowMillis, randomBytes } = this.#core;
    const oldest = nowMillis() / 1000 - maxKeptSeconds;
    for (let pages = 0; pages < maxPages; pages++) {
      // A program that is never open for long comes to all keys by beginning anywhere.
      const after = this.#after.get(prefix) ?? prefix + encodeHex(randomBytes(2));
      const found = await ledger.store.list({ prefix, after, limit: keysPerStep });
      const old = found.filter(([, value]) => (decodeRecord<{ at?: number }>(value).at ?? oldest) < oldest);
      this.#after.set(prefix, found.length < keysPerStep ? prefix : (found.at(-1)?.[0] ?? prefix));
      if (old.length > 0)
        await ledger.inTurn(async (transaction) => {
          for (const [key] of old) transaction.remove(key);
          await transaction.commit();
        });
      if (old.length < keysPerStep / 2) return;
    }
  }
}
