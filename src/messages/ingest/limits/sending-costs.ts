import { bytesPerMessage } from "../../../protocol/capabilities.js";
import type { MessageToMany } from "../../model/types.js";
import { type Parsed, senderOf } from "../model/stages.js";
import type { SenderContext } from "./messages-per-hour.js";

// What messages cost their senders, in sends or misses. Envelopes of a message to many form shares: each share that has
// begun counts as one message, or as one miss, whether or not its envelopes are alike. A share has one recipient for new
// devices, and fewer recipients for a long ciphertext: it stores at most `bytesPerMessage`, unless it has a single recipient.

export interface Counts {
  sends: number;
  misses: number;
}

/** Counts the envelopes of messages to many to find which of them begins another share. */
export interface ShareCounter {
  /** What the next message of this kind costs its sender: 1, or 0 if it belongs to a share that has begun. */
  next(message: Parsed, kind: keyof Counts, sender: { recipientsPerMessage: number }): 0 | 1;
  count(message: Parsed, kind: keyof Counts): void;
}

export function createShareCounter(): ShareCounter {
  const counted = new Map<MessageToMany, Counts>();
  return {
    next({ toMany, envelope }, kind, { recipientsPerMessage }) {
      if (toMany === undefined) return 1;
      const longest = toMany.copies?.longestBytes ?? envelope.ciphertext.length;
      const share = Math.min(recipientsPerMessage, Math.max(1, Math.floor(bytesPerMessage / longest)));
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

/** What these messages cost their sender if all are of the given kind. */
export function costOf(
  messages: readonly Parsed[],
  kind: keyof Counts,
  sender: { recipientsPerMessage: number },
): number {
  const shares = createShareCounter();
  let cost = 0;
  for (const message of messages) {
    cost += shares.next(message, kind, sender);
    shares.count(message, kind);
  }
  return cost;
}

/** Adds up what messages cost their senders if all are of the given kind. */
export function createCosts({ allowances }: SenderContext): {
  add(message: Parsed, kind: keyof Counts): void;
  bySender: ReadonlyMap<string, Counts>;
} {
  const bySender = new Map<string, Counts>();
  const shares = createShareCounter();
  return {
    bySender,
    add(message, kind) {
      const sender = senderOf(message);
      if (sender === undefined) return;
      const counts = bySender.get(sender) ?? { sends: 0, misses: 0 };
      counts[kind] += shares.next(message, kind, allowances.get(sender) ?? unshared);
      shares.count(message, kind);
      bySender.set(sender, counts);
    },
  };
}

const unshared = { recipientsPerMessage: 1 };
