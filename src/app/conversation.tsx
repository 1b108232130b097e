import { useEffect, useRef, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Compose } from "./compose.js";
import { NotYet } from "./contacts.js";
import { Details } from "./details.js";
import { Entry } from "./entry.js";
import { useMessageWindow } from "./message-window.js";
import { Avatar, attempt, Button, dayOf, inBackground, useChanges } from "./parts.js";
import { markRead, me, seen } from "./session.js";
import { fill, t } from "./texts.js";

/** What a message that is being written has to do with another one. */
export interface Regarding {
  how: "reply" | "edit";
  message: Message;
}

interface ConversationProps {
  group: Group;
  /** A message to begin at. */
  sought: Message | undefined;
  onBack(): void;
  onGroup(group: Group): void;
}

export function Conversation({ group, sought, onBack, onGroup }: ConversationProps) {
  const version = useChanges();
  const [showsDetails, showDetails] = useState(false);
  const [regarding, setRegarding] = useState<Regarding | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  const { messages, isAtEnd, onScroll, showNewest } = useMessageWindow({ group, version, sought, list });
  useEffect(() => {
    if (document.visibilityState === "visible") inBackground(() => markRead(group, messages));
  }, [messages]);
  const typing = [...(seen.typing.get(group.id)?.keys() ?? [])];
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <main class="conversation">
      <header>
        <Button icon="‹" label={t.back} class="icon back" onClick={onBack} />
        <Avatar name={group.name} />
        <div>
          <h2>{group.name}</h2>
          <small role="status">
            {typing.length > 0
              ? fill(typing.length > 1 ? t.typingMany : t.typing, { names: typing.join(", ") })
              : namesOf(group)}
          </small>
        </div>
        <Button label={t.details} onClick={() => showDetails(true)} />
      </header>
      <ol
        ref={list}
        class="messages"
        aria-label={t.messages}
        aria-live={isAtEnd ? "polite" : "off"}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        {messages.length === 0 && <li class="day">{t.noMessages}</li>}
        {messages.flatMap((message, at) => {
          const day = dayOf(message.sentAtMillis);
          const before = messages[at - 1];
          const isNewDay = before === undefined || dayOf(before.sentAtMillis) !== day;
          return [
            isNewDay && (
              <li class="day" key={`day ${message.id}`}>
                {day}
              </li>
            ),
            <Entry
              key={message.id}
              message={message}
              answered={byId.get(message.replyTo ?? "")}
              isSought={message.id === sought?.id}
              isFirst={isNewDay || before?.from.device !== message.from.device}
              group={group}
              onRegard={setRegarding}
            />,
          ];
        })}
      </ol>
      {!isAtEnd && <Button icon="↓" label={t.newest} class="newest" onClick={showNewest} />}
      <NotYet group={group} />
      {group.state === "active" && (
        <Compose group={group} regarding={regarding} onSent={showNewest} onDone={() => setRegarding(undefined)} />
      )}
      {group.state === "mustRejoin" && <MustRejoin group={group} onGroup={onGroup} />}
      {(group.state === "left" || group.state === "removed") && <p class="ended">{t.notMember}</p>}
      {showsDetails && <Details group={group} onClose={() => showDetails(false)} />}
    </main>
  );
}

/** Offers what leads on: to be added again, or a new group if nobody can do that. */
function MustRejoin({ group, onGroup }: { group: Group; onGroup(group: Group): void }) {
  if (group.rejoinReason !== "slots restarted")
    return (
      <p class="ended">
        {t.mustRejoin} <Button label={t.rejoin} class="main" onClick={() => attempt(() => group.rejoin())} />
      </p>
    );
  const begin = () =>
    attempt(async () => {
      const others = group.members().filter(({ isMe, address }) => !isMe && address !== "");
      const next = await me().create({ name: group.name });
      onGroup(next);
      await next.add(others.map(({ address, user, isSigned }) => (isSigned ? { address, user } : address)));
    });
  return (
    <p class="ended">
      {t.restarted} <Button label={t.beginAgain} class="main" onClick={begin} />
    </p>
  );
}

/** Each person once, also one with many devices. */
function namesOf(group: Group): string {
  const names = new Map(group.members().map(({ user, name }) => [user, user === me().user ? t.you : name]));
  return [...names.values()].join(", ");
}
