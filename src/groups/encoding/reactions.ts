import { maxEmojis } from "../../client/messages/svc-messages.js";
import { demand, demandArray } from "../../client/runtime/arguments.js";
import { shownName } from "./names.js";

const selectors = /[\ufe0e\ufe0f]/g;
/** Without U+FE0F behind them, these are drawn as text. */
const textual = /(?!\p{Emoji_Presentation})\p{Extended_Pictographic}(?!\p{Emoji_Modifier})|[0-9#*](?=\u20e3)/gu;

/** One form of all that look alike: keyboards differ in the variation selectors that they put in. */
function normalEmoji(emoji: string): string {
  return shownName(emoji.replace(selectors, "").replace(textual, "$&\ufe0f"));
}

/** Each once, in their order. */
export function normalEmojis(emojis: readonly string[]): string[] {
  return [...new Set(emojis.map(normalEmoji))].filter((emoji) => emoji !== "");
}

/** The reactions of a user to a message, each once. Throws TypeError if there are more than six. */
export function demandReactions(given: readonly string[]): string[] {
  demandArray(given, { what: "emojis", min: 0, max: Number.POSITIVE_INFINITY }, (one, what) =>
    demand(typeof one === "string", one, { what, expected: "a string" }),
  );
  const all = normalEmojis(given);
  if (all.length > maxEmojis) throw new TypeError(`a user has at most ${maxEmojis} reactions to a message`);
  return all;
}
