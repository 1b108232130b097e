import { mebibyte } from "../../../protocol/units.js";
import type { MessageToMany } from "../../model/types.js";
import { type Item, senderOf } from "../model/item.js";
import type { SenderContext } from "./hourly-limit.js";

// What messages cost their senders, in sends or misses. Items of a message to many form shares: each share that has
// begun counts as one message, or as one miss. A share has one recipient for new devices, and fewer recipients for a
// long ciphertext: it stores at most `shareBytes`, unless it has a single recipient.

const shareBytes = mebibyte;

export interface Counts {
  sends: number;
  misses: number;
}

/** Counts the items of messages to many to find which of them begins another share. */
export interface ShareCounter {
  /** What the next item of this kind costs its sender: 1, or 0 if it belongs to a share that has begun. */
  next(item: Item, kind: keyof Counts, sender: { recipientsPerMessage: number }): 0 | 1;
  count(item: Item, kind: keyof Counts): void;
}

export function createShareCounter(): ShareCounter {
  const counted = new Map<MessageToMany, Counts>();
  return {
    next({ toMany, envelope }, kind, { recipientsPerMessage }) {
      if (toMany === undefined) return 1;
      const share = Math.min(recipientsPerMessage, Math.max(1, Math.floor(shareBytes / envelope.ciphertext.length)));
      return (counted.get(toMany)?.[kind] ?? toMany.counted?.[kind] ?? 0) % share === 0 ? 1 : 0;
    },
    count({ toMany }, kind) {
      if (toMany === undefined) return;
      const counts = counted.get(toMany) ?? { sends: 0, misses: 0, ...toMany.counted };
      counts[kind] += 1;
      counted.set(toMany, counts);
    },
  };
}

/** What these items cost their sender if all are of the given kind. */
export function costOf(items: readonly Item[], kind: keyof Counts, sender: { recipientsPerMessage: number }): number {
  const shares = createShareCounter();
  let cost = 0;
  for (const item of items) {
    cost += shares.next(item, kind, sender);
    shares.count(item, kind);
  }
  return cost;
}

/** Adds up what items cost their senders if all are of the given kind. */
export function createCosts({ allowances }: SenderContext): {
  add(item: Item, kind: keyof Counts): void;
  bySender: ReadonlyMap<string, Counts>;
} {
  const bySender = new Map<string, Counts>();
  const shares = createShareCounter();
  return {
    bySender,
    add(item, kind) {
      const sender = senderOf(item);
      if (sender === undefined) return;
      const counts = bySender.get(sender) ?? { sends: 0, misses: 0 };
      counts[kind] += shares.next(item, kind, allowances.get(sender) ?? unshared);
      shares.count(item, kind);
      bySender.set(sender, counts);
    },
  };
}

const unshared = { recipientsPerMessage: 1 };
