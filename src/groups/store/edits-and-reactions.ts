// What edits, reactions and receipts change of a message. Those that come before it wait for it.

import type { SvcMessage } from "../../client/index.js";
import { daySeconds, lastMillisOf } from "../../protocol/units.js";
import { normalEmojis } from "../encoding/reactions.js";
import type { Message } from "./events.js";
import type { Transaction } from "./ledger.js";
import { countsPrefix, effectsPrefix, idKey, inGroup, keyOf, type Prefix } from "./record-keys.js";
import type { StoredEffect } from "./records.js";

/** For one message. */
const maxEffects = 100;
/** Effects of one user that come in a day before their messages. */
const maxEffectsOfUser = 1_000;
/** Users whose reactions and receipts one message has. */
const maxTelling = 1_000;

/** The message as an effect leaves it. Undefined if the effect is not allowed, or changes nothing. */
export function changedBy(
  message: Message,
  { effect, by: { user, isSigned, isMe }, at }: StoredEffect,
): Message | undefined {
  if (!isSigned) return undefined;
  switch (effect.type) {
    case "reaction": {
      const { [user]: old, ...others } = message.reactions;
      const emojis = normalEmojis(effect.emojis ?? [effect.emoji]);
      if ((old ?? []).join("\n") === emojis.join("\n")) return undefined;
      if (old === undefined && Object.keys(others).length >= maxTelling) return undefined;
      return { ...message, reactions: emojis.length === 0 ? others : { ...others, [user]: emojis } };
    }
    case "edit": {
      // Any device of the user may change it.
      const isAuthor = user === message.from.user;
      const editedAtMillis = editedAt(effect, at);
      if (!isAuthor || editedAtMillis < (message.editedAtMillis ?? 0)) return undefined;
      const { file, content, mentions: _, ...rest } = message;
      const { text, mentions } = effect;
      // Deleting a message for everyone deletes its file as well.
      const kept = text === "" ? {} : { ...(file && { file }), ...(content && { content }) };
      return { ...rest, ...kept, text, ...(mentions && { mentions }), editedAtMillis };
    }
    case "receipt": {
      const old = message.receipts[user];
      if (user === message.from.user || old === effect.status || old === "read") return undefined;
      const isFull = Object.keys(message.receipts).length >= maxTelling;
      if (old === undefined && isFull && !isMe) return undefined;
      return { ...message, receipts: { ...message.receipts, [user]: effect.status } };
    }
  }
}

/**
 * A member may name messages that never come: what waits for them is bounded for each user, and says nothing of other messages. Of each kind, the last one of a user
 * waits. Edits are not crowded out by others: with one, the author may have deleted the message.
 */
export async function keepEffect(
  transaction: Transaction,
  { group, target, effect, by, at }: { group: string; target: string } & StoredEffect,
): Promise<void> {
  if (!by.isSigned) return;
  const waiting = await transaction.readAll(effectPrefix(group, target), maxEffects);
  const [earlier] = waiting.filter(([, one]) => one.by.user === by.user && one.effect.type === effect.type);
  if (earlier !== undefined) {
    if (!replaces({ effect, by, at }, earlier[1])) return;
    transaction.remove(earlier[0]);
  } else {
    const other = effect.type === "edit" ? waiting.find(([, one]) => one.effect.type !== "edit") : undefined;
    if (waiting.length >= maxEffects && other === undefined) return;
    const key = keyOf(inGroup(countsPrefix, group), by.user);
    const kept = await transaction.read(key);
    const dayOf = (seconds: number) => Math.floor(seconds / daySeconds);
    const count = kept !== undefined && dayOf(kept.at) === dayOf(at) ? kept.count : 0;
    if (count >= maxEffectsOfUser) return;
    if (waiting.length >= maxEffects && other !== undefined) transaction.remove(other[0]);
    transaction.set(key, { at, count: count + 1 });
  }
  const { delivered: _, read: __, ...alone } = effect.type === "receipt" ? { ...effect, targets: [target] } : effect;
  transaction.add(effectPrefix(group, target), { effect: alone, by, at });
}

/** Whether an effect leaves nothing of an earlier one of the same kind and user. */
function replaces({ effect, at }: StoredEffect, { effect: old, at: oldAt }: StoredEffect): boolean {
  if (effect.type === "edit") return editedAt(effect, at) >= editedAt(old, oldAt);
  return old.type !== "receipt" || old.status !== "read";
}

/** A time to come would refuse all later edits. */
function editedAt({ sent_at_millis: sentAtMillis }: Pick<SvcMessage, "sent_at_millis">, at: number): number {
  return Math.min(sentAtMillis, lastMillisOf(at));
}

export function effectPrefix(group: string, target: string): Prefix<StoredEffect> {
  return inGroup(inGroup(effectsPrefix, group), idKey(target));
}
