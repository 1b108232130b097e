// What is to be sent. An item stays in the store until each recipient's relay has taken its copy or refused it for good; the same bytes are sent
// again until then. A recipient gets the copies in the order in which they were posted: a later one waits for an earlier one.

import type { SealedMessage } from "../../client/index.js";
import type { Ledger, Transaction } from "../store/ledger.js";
import { type Key, outPrefix } from "../store/record-keys.js";
import type { OutboxItem } from "../store/records.js";

export interface Entry {
  key: Key<OutboxItem>;
  item: OutboxItem;
  /** The others may have no keys for it: it waits until the group has been followed, and is sent if its epoch is still the present one. */
  age?: "asked" | "sendable";
}

export interface Copy {
  entry: Entry;
  message: SealedMessage;
}

/** The items that wait to be sent. */
export class Outbox {
  readonly #ledger: Ledger;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async load(): Promise<void> {
    const stored = await this.#ledger.readAll(outPrefix);
    for (const [key, item] of stored) this.#entries.set(key, { key, item });
  }

  /** By their keys, the oldest first. */
  get entries(): Map<string, Entry> {
    return this.#entries;
  }

  /** Puts something into the outbox, in a transaction that is made anyway. */
  post(transaction: Transaction, item: OutboxItem): void {
    if (item.copies.length === 0) {
      if (item.message !== undefined) transaction.event({ type: "sent", group: item.group, message: item.message });
      return;
    }
    const { key } = transaction.add(outPrefix, item);
    transaction.afterwards(() => {
      this.#entries.set(key, { key, item });
      for (const listener of this.#listeners) listener();
    });
  }

  /** Whether something of a group waits that may be sealed again in a later epoch. */
  mayBeSealedAgain(group: string): boolean {
    for (const { item } of this.#entries.values()) if (item.group === group && item.body !== undefined) return true;
    return false;
  }

  /** What waits for members of a group goes out, and nobody is told. */
  forget(transaction: Transaction, group: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.item.group !== group) continue;
      const { message: _, body: __, ...rest } = entry.item;
      const item = { ...rest, group: "", isQuiet: true };
      transaction.set(entry.key, item);
      transaction.afterwards(() => {
        entry.item = item;
      });
    }
  }

  /** Calls a listener when something was posted. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
