import type { Group, Message } from "../groups/index.js";
import { Face } from "./profile-pictures.js";
import { me } from "./session.js";
import { fill, t } from "./texts.js";
import { timeOf } from "./times.js";

interface RowProps {
  group: Group | undefined;
  last: Message | undefined;
  unread?: number;
  /** The user's settings for the chat. */
  marks?: readonly string[];
  isChosen?: boolean;
  onClick(): void;
}

/** The most messages that are counted as unread. */
export const maxCounted = 99;

/** A group in the list, with one of its messages. */
export function Row({ group, last, unread = 0, marks = [], isChosen = false, onClick }: RowProps) {
  const name = group?.name ?? "";
  const count = unread > maxCounted ? `${maxCounted}+` : unread;
  const author = last === undefined || last.from.user === me().user ? "" : `${last.from.name || t.nameless}: `;
  return (
    <li>
      <button type="button" aria-current={isChosen ? "true" : undefined} onClick={onClick}>
        <Face name={name} of={group} />
        <span class="about">
          <bdi class="name">{name || t.nameless}</bdi>
          <span class="last">
            {author && <bdi>{author}</bdi>}
            {last && <bdi>{shortOf(last)}</bdi>}
          </span>
        </span>
        <span class="when">
          <small>{last && timeOf(last.sentAtMillis)}</small>
          {marks.length > 0 && <small>{marks.join(", ")}</small>}
          {unread > 0 && (
            <span class="badge">
              <span aria-hidden="true">{count}</span>
              <span class="hidden">{fill(unread === 1 ? t.unreadOne : t.unread, { count })}</span>
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

/** More characters of a line are never visible. */
const shortLength = 300;

/** A message in one line. */
export function shortOf({ text, file, content }: Message): string {
  return text.slice(0, shortLength) || (file ? file.name || t.file : content ? t.notShown : t.takenBack);
}
