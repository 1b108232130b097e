// Of a long conversation, only the messages near those that are shown are in the page.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { useReading } from "./hooks.js";
import { inBackground } from "./tasks.js";

/** Most messages in the page. */
const size = 120;
/** So many are exchanged at once. */
const step = 50;
/** Closer to an end of the window, the next messages are fetched. */
const nearPixels = 1_000;
/** Closer to the newest message, a new one is scrolled to. */
const atEndPixels = 100;

interface Options {
  group: Group;
  /** Another value means that messages may have changed. */
  version: number;
  /** A message to begin at. */
  sought: Message | undefined;
  list: RefObject<HTMLElement | null>;
}

/** The messages to show, and what moves among them. */
export function useMessageWindow({ group, version, sought, list }: Options) {
  const [messages, setMessages] = useState<Message[]>([]);
  /** The messages before this number; undefined for the newest. */
  const [end, setEnd] = useState<number | undefined>(sought && sought.seq + 1);
  const [isAtEnd, setAtEnd] = useState(sought === undefined);
  const isMoving = useRef(false);
  const kept = useRef<{ element: Element; top: number }>(undefined);
  /** Where the list was scrolled to when this was last looked at. */
  const position = useRef(0);

  useReading(async () => {
    const found = await group.messages({ limit: size, ...(end !== undefined && { before: end }) });
    kept.current = firstShown(list.current);
    // The event of a scroll may come after the new messages are drawn.
    if ((list.current?.scrollTop ?? 0) < position.current - 1) onScroll();
    setMessages(found);
  }, [version, end]);

  // What was in view stays where it was, or the newest message stays in view.
  useLayoutEffect(() => {
    const { current: shown } = list;
    if (shown === null || messages.length === 0) return;
    const { element, top } = kept.current ?? {};
    const target = element === undefined && sought ? document.getElementById(`message-${sought.id}`) : null;
    if (target) target.scrollIntoView({ block: "center" });
    else if (isAtEnd) shown.scrollTop = shown.scrollHeight;
    else if (element?.isConnected) shown.scrollTop += element.getBoundingClientRect().top - (top ?? 0);
    isMoving.current = false;
    onScroll();
  }, [messages]);

  const move = async (toNewer: boolean) => {
    isMoving.current = true;
    if (!toNewer) return setEnd(messages[size - step]?.seq);
    const newer = await group.messages({ after: messages.at(-1)?.seq ?? 0, limit: step });
    const last = newer.at(-1);
    setEnd(last === undefined || newer.length < step ? undefined : last.seq + 1);
  };
  const onScroll = () => {
    const { current: shown } = list;
    if (shown === null || isMoving.current) return;
    position.current = shown.scrollTop;
    const below = shown.scrollHeight - shown.scrollTop - shown.clientHeight;
    setAtEnd(end === undefined && below < atEndPixels);
    if (below < nearPixels && end !== undefined) inBackground(() => move(true));
    else if (shown.scrollTop < nearPixels && messages.length === size) inBackground(() => move(false));
  };
  const showNewest = () => {
    isMoving.current = end !== undefined;
    setAtEnd(true);
    setEnd(undefined);
    list.current?.scrollTo(0, list.current.scrollHeight);
  };
  return { messages, isAtEnd, isWhole: messages.length < size, hasNewest: end === undefined, onScroll, showNewest };
}

function firstShown(list: HTMLElement | null): { element: Element; top: number } | undefined {
  const border = list?.getBoundingClientRect().top ?? 0;
  for (const element of list?.querySelectorAll(".entry") ?? []) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > border) return { element, top };
  }
  return undefined;
}
