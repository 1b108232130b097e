// Removes expired data while the device runs, because a bot may run for years. Each step examines a few keys, and the more is stored, the more
// steps there are. So neither the work of a step nor the amount of expired data grows with time.

import { encodeHex } from "../../protocol/encodings.js";
import { decodeRecord } from "../encoding/records.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Transaction } from "../store/ledger.js";
import {
  countsPrefix,
  effectsPrefix,
  eventPrefix,
  movedPrefix,
  requestPrefix,
  seenPrefix,
  sentFilePrefix,
} from "../store/record-keys.js";
import type { StoredMembership } from "../store/records.js";
import type { Membership } from "./membership.js";
import { recentEpochs } from "./past-epochs.js";

/** Records with `at`, in seconds since 1970. Random hex follows the prefix in their keys. */
const prefixes = [seenPrefix, effectsPrefix, countsPrefix, movedPrefix, requestPrefix, sentFilePrefix];
/** Longer than a Welcome may be on its way and key packages of last resort are kept. */
export const maxKeptSeconds = 75 * 86_400;
/** After how many stored records a step follows. It examines more keys than were added, so every key gets its turn. */
const storedPerStep = 100;
const keysPerStep = 200;
/** How many events are kept for an application that never asks for them. */
const maxEvents = 10_000;
/** Once in this many steps, all events are examined together. */
const stepsPerEvents = 10;

export class Pruning {
  readonly #core: DeviceCore;
  readonly #memberships: ReadonlyMap<string, Membership>;
  /** The key after which to look next, by prefix. */
  readonly #after = new Map<string, string>();
  #stored = 0;
  #steps = 0;

  constructor(core: DeviceCore, memberships: ReadonlyMap<string, Membership>) {
    this.#core = core;
    this.#memberships = memberships;
    core.ledger.subscribe((event) => {
      if ("seq" in event) this.count();
    });
  }

  /** Something may have been stored. */
  count(): void {
    if (++this.#stored % storedPerStep === 0) this.step().catch(this.#core.problem);
  }

  step(): Promise<void> {
    return this.#core.ledger.inTurn(async (transaction) => {
      if (this.#steps++ % stepsPerEvents === 0) await this.#dropEvents(transaction);
      for (const prefix of prefixes) await this.#dropOld(transaction, prefix);
      for (const membership of this.#memberships.values()) dropPast(transaction, membership);
      await transaction.commit();
    });
  }

  async #dropEvents(transaction: Transaction): Promise<void> {
    const kept = await transaction.list(eventPrefix);
    for (const [key] of kept.slice(0, Math.max(0, kept.length - maxEvents))) transaction.remove(key);
  }

  async #dropOld(transaction: Transaction, prefix: string): Promise<void> {
    const { ledger, nowMillis, randomBytes } = this.#core;
    const oldest = nowMillis() / 1000 - maxKeptSeconds;
    // The first step starts at a random key, so that a program that never runs for long reaches all keys in the end.
    const after = this.#after.get(prefix) ?? prefix + encodeHex(randomBytes(2));
    const found = await ledger.store.list({ prefix, after, limit: keysPerStep });
    this.#after.set(prefix, found[keysPerStep - 1]?.[0] ?? prefix);
    for (const [key, value] of found)
      if ((decodeRecord<{ at?: number }>(value).at ?? oldest) < oldest) transaction.remove(key);
  }
}

/** Forgets past epochs that ended so long ago that none of their messages can still be on its way. */
function dropPast(transaction: Transaction, membership: Membership): void {
  const { epochs, endedAtMillis } = membership.stored;
  const now = membership.core.nowMillis();
  const present = membership.state === "removed" || membership.state === "left" ? [] : epochs.slice(0, 1);
  const past = epochs.slice(present.length);
  const kept = recentEpochs(past, present[0]?.enteredAtMillis ?? endedAtMillis ?? now, now);
  if (kept.length === past.length) return;
  const stored: StoredMembership = { ...membership.stored, epochs: [...present, ...kept] };
  for (const one of past.slice(kept.length)) membership.forgetEpoch(transaction, one.epoch);
  membership.change(transaction, stored);
}
