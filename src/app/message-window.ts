// Keeps only the messages near the visible ones in the page, because conversations can be long.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { useReading } from "./hooks.js";
import { inBackground } from "./tasks.js";

/** Most messages in the page. */
const size = 120;
/** How many messages are exchanged at once. */
const step = 50;
/** Within this distance of an end of the window, the next messages are fetched. */
const nearPixels = 1_000;
/** Within this distance of the newest message, the list scrolls to new ones. */
const atEndPixels = 100;

interface Options {
  group: Group;
  /** Changes whenever messages may have changed. */
  version: number;
  /** A message to begin at. */
  sought: Message | undefined;
  list: RefObject<HTMLElement | null>;
}

/** The messages to show, and the functions that move the window. */
export function useMessageWindow({ group, version, sought, list }: Options) {
  const [messages, setMessages] = useState<Message[]>([]);
  /** The messages before this number; undefined for the newest. */
  const [end, setEnd] = useState<number | undefined>(sought && sought.seq + 1);
  const [isAtEnd, setAtEnd] = useState(sought === undefined);
  const isMoving = useRef(false);
  const kept = useRef<{ element: Element; top: number }>(undefined);
  /** The scroll position at the last check. */
  const position = useRef(0);

  useReading(async () => {
    const found = await group.messages({ limit: size, ...(end !== undefined && { before: end }) });
    kept.current = firstShown(list.current);
    // The scroll event may come after the new messages are drawn.
    if ((list.current?.scrollTop ?? 0) < position.current - 1) onScroll();
    setMessages(found);
  }, [version, end]);

  // Visible messages stay in place, or the newest message stays in view.
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
