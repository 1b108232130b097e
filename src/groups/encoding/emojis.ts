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
