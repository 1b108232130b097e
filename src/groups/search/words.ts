// What of a text is compared when people search: its words, without what they leave out or write in another way. It depends on no language and no version of
// a dictionary, because the words of old messages are kept.

/** Marks over letters: of Latin, Greek and Cyrillic, and of those scripts in which they are often left out. */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;

export function folded(text: string): string {
  // By way of capitals, because some letters share one only there: the Turkish letters i, too.
  const bare = text.normalize("NFKD").replace(marks, "");
  return bare.toUpperCase().toLowerCase().replace(marks, "").replaceAll("ς", "σ").normalize("NFC");
}

const scripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"];
/** Of scripts that put no spaces between words, or not always. */
const unspaced = `[${scripts.map((name) => `\\p{Script_Extensions=${name}}`).join("")}]`;
const parts = new RegExp(
  `(?<run>(?:(?=[\\p{L}\\p{N}\\p{M}])${unspaced})+)|(?<word>(?:(?!${unspaced}(?<!\\p{N}))[\\p{L}\\p{N}\\p{M}])+)|(?<sign>\\p{Extended_Pictographic})`,
  "gu",
);

/** A word is found by its beginning, a run of characters without spaces by any part of it. */
export interface Term {
  text: string;
  isRun: boolean;
}

export function termsOf(text: string): Term[] {
  const found = folded(text).matchAll(parts);
  return [...found].map(({ 0: part, groups }) => ({ text: part, isRun: groups?.["word"] === undefined }));
}

/** By what terms are found in an index: words as they are, runs by each character and each two of them. */
export function entriesOf({ text, isRun }: Term): string[] {
  if (!isRun) return [text];
  const signs = [...text];
  return [...signs, ...signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)];
}

/** Whether one term stands in a text with these terms. */
export function isIn(term: Term, terms: readonly Term[]): boolean {
  return terms.some(({ text, isRun }) => (term.isRun ? isRun && text.includes(term.text) : text.startsWith(term.text)));
}
