import phrases from "./phrases.json" with { type: "json" };

/** That of the browser, if there are phrases in it. */
export const language = navigator.language.startsWith("de") ? "de" : "en";

export const t: typeof phrases.en = phrases[language];

/** A phrase with values at the places that have their names in braces. */
export function fill(phrase: string, values: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
