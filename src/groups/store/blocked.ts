// What users whom this one has blocked have sent: it is stored, and not shown.

import type { GroupEvent, Message, PassingEvent } from "./events.js";

type Users = ReadonlySet<string>;

/** Whether the application is not told of it. */
export function isHidden(event: GroupEvent | PassingEvent, blocked: Users): boolean {
  switch (event.type) {
    case "message":
      return blocked.has(event.message.from.user);
    case "messageChanged":
      return blocked.has(event.by.user) || blocked.has(event.message.from.user);
    case "joinRequest":
      return blocked.has(event.user);
    case "typing":
      return blocked.has(event.member.user);
    default:
      return false;
  }
}

/** A message without reactions of blocked users; undefined if one of them has sent it. */
export function shownOf(message: Message, blocked: Users): Message | undefined {
  if (blocked.size === 0) return message;
  if (blocked.has(message.from.user)) return undefined;
  const reactions = Object.entries(message.reactions).filter(([user]) => !blocked.has(user));
  return { ...message, reactions: Object.fromEntries(reactions) };
}
