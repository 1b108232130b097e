// Lines among a group's messages that say who joined and left, and how the group was renamed.

import type { GroupEvent, Member } from "../groups/index.js";
import { remember, remembered } from "./local-storage.js";
import { fill, spanOf, t } from "./texts.js";

export interface Line {
  /** Its position among the messages. */
  seq: number;
  text: string;
}

/** The most lines of a group. The newest are kept. */
const maxLines = 50;

const keyOf = (group: string) => `lines ${group}`;

export function linesOf(group: string): Line[] {
  try {
    return JSON.parse(remembered(keyOf(group)) ?? "[]");
  } catch {
    return [];
  }
}

/** `members` are the present ones. */
export function noteLines(
  { group, seq, name, joined, left, by }: Extract<GroupEvent, { type: "changed" }> & { seq: number },
  members: readonly Member[],
): void {
  // Another device of somebody who is or was a member is of no interest to people.
  const isPerson = ({ user, id }: Member) =>
    user === "" ||
    !members.some((one) => one.user === user && one.id !== id && !joined.some((new_) => new_.id === one.id));
  const namesOf = (those: readonly Member[]) => new Set(those.filter(isPerson).map((one) => one.name || t.nameless));
  const texts = [
    ...[...namesOf(joined)].map((one) => fill(t.hasJoined, { name: one })),
    ...[...namesOf(left)].map((one) => fill(t.hasLeft, { name: one })),
  ];
  if (joined.length + left.length === 0)
    texts.push(fill(by ? t.renamedBy : t.renamed, { group: name, name: by?.name ?? "" }));
  if (texts.length === 0) return;
  noteLine(group, ...texts.map((text) => ({ seq, text })));
}

export function noteLine(group: string, ...news: Line[]): void {
  // After a crash, the event comes again.
  const others = linesOf(group).filter(({ seq }) => news.every((line) => line.seq !== seq));
  remember(keyOf(group), JSON.stringify([...others, ...news].slice(-maxLines)));
}

export function userKeyText(
  { user, isConflict }: Extract<GroupEvent, { type: "userKeyChanged" }>,
  members: readonly Member[],
): string {
  const name = members.find((one) => one.user === user)?.name || t.nameless;
  return fill(isConflict ? t.userKeyConflict : t.userKeyChanged, { name });
}

export function nameText({ name, before }: Extract<GroupEvent, { type: "profileChanged" }>): string {
  return fill(t.nowCalled, { before: before || t.nameless, name });
}

export function disappearingText({ seconds, by }: Extract<GroupEvent, { type: "disappearingChanged" }>): string {
  const name = by?.name || t.nameless;
  return seconds === undefined ? fill(t.stayFrom, { name }) : fill(t.disappearFrom, { name, time: spanOf(seconds) });
}
