import type { ComponentChildren } from "preact";
import type { Message } from "../groups/index.js";

const address = /https?:\/\/[^\s<>"“”«»]+/gi;
const punctuation = /[.,;:!?'’*\]}]/;
/** Further links in one message stay plain text. */
const maxLinks = 100;

/** A text with mentions highlighted and web addresses as links. */
export function withMentions({ text, mentions = [] }: Pick<Message, "text" | "mentions">): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { start, length } of mentions) {
    parts.push(withLinks(text.slice(end, start)), <b key={`at ${start}`}>{text.slice(start, start + length)}</b>);
    end = start + length;
  }
  return [...parts, withLinks(text.slice(end))];
}

function withLinks(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = found.slice(0, lengthOf(found));
    if (!URL.canParse(url)) continue;
    parts.push(
      text.slice(end, index),
      <a key={index} href={url} target="_blank" rel="noopener noreferrer">
        {url}
      </a>,
    );
    end = index + url.length;
    if (parts.length >= 2 * maxLinks) break;
  }
  return [...parts, text.slice(end)];
}

/** The address without the punctuation of the sentence around it, or a closing bracket that belongs to the sentence. */
function lengthOf(found: string): number {
  let unopened = 0;
  for (const sign of found) unopened += sign === ")" ? 1 : sign === "(" ? -1 : 0;
  let length = found.length;
  for (; ; length--) {
    const last = found[length - 1] ?? "";
    if (last === ")" && unopened > 0) unopened -= 1;
    else if (!punctuation.test(last)) return length;
  }
}
