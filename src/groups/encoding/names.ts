// Names that others have chosen: of people, groups and files. Shown as they are, some would look like other names.

import { demand } from "../../client/runtime/arguments.js";

/** Of a person or a file, in UTF-16 units. */
const maxNameLength = 200;
/** Of a group. */
export const maxGroupNameLength = 4_000;

/** Checks what an application calls a group or a user: each Welcome and each key package carries it. */
export function demandName(name: unknown): void {
  const holds = typeof name === "string" && name.length <= maxGroupNameLength;
  demand(holds, name, { what: "name", expected: `a string of at most ${maxGroupNameLength} characters` });
}

const pictures = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f";
const joined = ["Arabic", "Syriac", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu"]
  .concat(["Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan", "Mongolian"])
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** Where characters without a shape of their own belong: in flags, between emojis and letters of some scripts, behind an emoji or a Han character. */
const fitting = [
  "\\u{1f3f4}[\\u{e0061}-\\u{e007a}\\u{e0030}-\\u{e0039}]{1,6}\\u{e007f}",
  `[${pictures}]\\u200d(?=\\p{Extended_Pictographic})`,
  `[${joined}][\\u200c\\u200d](?=[${joined}])`,
  "[\\p{Extended_Pictographic}0-9#*]\\ufe0f\\u200d?",
  "\\p{Script=Han}[\\u{e0100}-\\u{e01ef}]",
].join("|");
/** Controls, direction marks, and what is drawn as nothing. */
const unseen =
  "[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]";
const found = new RegExp(`(${fitting})|${unseen}`, "gu");
/** More marks over one letter cover the lines around it. */
const stacked = /(\p{M}{4})\p{M}+/gu;

/** A text in which each character can be seen: those without a shape of their own are named, such as `[U+202E]`. Lines stay. */
export function visibleText(text: string): string {
  return text.replace(found, (one, fits?: string) => {
    if (fits !== undefined || one === "\n" || one === "\t") return one;
    return `[U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** One line of visible characters. Invisible characters become U+FFFD, so that nobody can imitate another's name with them. */
export function shownName(name: string, max = maxNameLength): string {
  // A longer name costs no more than its visible part.
  const line = name
    .slice(0, 4 * max)
    .replace(/[\s\u0085]+/gu, " ")
    .trim();
  const visible = line.replace(found, (_, fits?: string) => fits ?? "\ufffd").replace(stacked, "$1");
  return visible.length <= max ? visible : visible.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
