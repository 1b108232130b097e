import { phrases } from "./phrases.js";

/** That of the browser, if there are phrases in it. */
export const language = navigator.language.startsWith("de") ? "de" : "en";

type Texts = { [name in keyof typeof phrases]: (typeof phrases)[name][0] };
const column = language === "de" ? 1 : 0;
const spoken = Object.entries(phrases).map(([name, text]) => [name, text[column]]);
export const t = Object.fromEntries(spoken) as Texts;
