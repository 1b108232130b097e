// What a list of chats shows of a group: where something happened last, and how far the user has read. Both are numbers (`seq`) of the ledger.

import { firstNumber, type Ledger, type Transaction } from "./ledger.js";
import { chatPrefix, keyOf, restOf } from "./record-keys.js";
import type { Chat } from "./records.js";

/** What another device of the user has sent of the past was read there. */
const unread: Chat = { last: 0, read: firstNumber - 1 };

export class Chats {
  readonly #ledger: Ledger;
  readonly #last = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    ledger.subscribe((event) => {
      if (event.type === "message") this.#last.set(event.group, event.message.seq);
      if (event.type === "forgotten") this.#last.delete(event.group);
      if (event.type === "joinedGroup" || event.type === "invited") this.#last.set(event.group, event.seq);
    });
  }

  async load(): Promise<void> {
    for (const [key, { last }] of await this.#ledger.readAll(chatPrefix)) this.#last.set(restOf(key, chatPrefix), last);
  }

  /** Groups by when something happened in them, the newest first. */
  inOrder<T extends { readonly id: string }>(groups: Iterable<T>): T[] {
    const last = ({ id }: T) => this.#last.get(id) ?? 0;
    return [...groups].sort((one, other) => last(other) - last(one));
  }
}

export async function readUpTo(ledger: Ledger, group: string): Promise<number> {
  return ((await ledger.read(keyOf(chatPrefix, group))) ?? unread).read;
}

/** Notes that something has happened, or that the user has read so far. */
export async function noteChat(transaction: Transaction, group: string, news: Partial<Chat>): Promise<void> {
  const { last, read } = (await transaction.read(keyOf(chatPrefix, group))) ?? unread;
  const next = { last: Math.max(last, news.last ?? 0), read: Math.max(read, news.read ?? 0) };
  if (next.last !== last || next.read !== read) transaction.set(keyOf(chatPrefix, group), next);
}
