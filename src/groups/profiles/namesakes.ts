// Names that look like somebody else's.

import type { ShownMember } from "../mls/members.js";
import type { People } from "../store/shown-people.js";

const alike = [..."аaеeоoрpсcуyхxіiјjѕsһhԁdոnαaοoρpνvιiκk"];
const latin = new Map(alike.flatMap((letter, at) => (at % 2 === 0 ? [[letter, alike[at + 1] as string]] : [])));
/** Digits and letters that are drawn as one stroke or a circle. */
const drawn: Record<string, string> = { "0": "o", "1": "l", i: "l", "|": "l" };

/** A name without marks, case, spaces and punctuation, spelled in the letters that it looks like. */
function looksOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Extended_Pictographic}|]/gu, "");
  const letters = [...plain].map((letter) => latin.get(letter) ?? letter);
  return letters.map((letter) => drawn[letter] ?? letter).join("");
}

/** Members who are not contacts, and whose names look like that of another member or of a contact. */
export function namesakesAmong({ called }: People, members: readonly ShownMember[]): ShownMember[] {
  const all = members.map((one) => [looksOf(one.name), one.user || String(one.id)] as const);
  const named = [...all, ...[...called].map(([user, name]) => [looksOf(name), user] as const)];
  const isShared = ({ isNamed, isMe }: ShownMember, at: number) =>
    !isNamed && !isMe && named.some(([looks, user]) => looks === all[at]?.[0] && user !== all[at]?.[1]);
  return members.filter(isShared);
}
