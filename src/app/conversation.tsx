import { useEffect, useRef, useState } from "preact/hooks";
import type { Group, Groups, Message } from "../groups/index.js";
import { Compose } from "./compose.js";
import { Details } from "./details.js";
import { Entry } from "./entry.js";
import { Avatar, attempt, dayOf, inBackground, useChanges } from "./parts.js";
import type { Hit } from "./search.js";
import { markRead, seen } from "./session.js";
import { t } from "./texts.js";

const pageSize = 100;

/** What a message that is being written has to do with another one. */
export interface Regarding {
  how: "reply" | "edit";
  message: Message;
}

export function Conversation({
  group,
  me,
  sought,
  onBack,
}: {
  group: Group;
  me: Groups;
  /** A message to begin at. */
  sought: Hit | undefined;
  onBack(): void;
}) {
  const version = useChanges();
  const [messages, setMessages] = useState<Message[]>([]);
  const [limit, setLimit] = useState(pageSize + (sought?.depth ?? 0));
  const [showsDetails, showDetails] = useState(false);
  const [regarding, setRegarding] = useState<Regarding | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    inBackground(async () => {
      const found = await group.messages({ limit });
      setMessages(found);
      if (document.visibilityState === "visible") await markRead(me, group, found);
    });
  }, [version, limit]);
  const last = messages.at(-1)?.id;
  const isShown = useRef(false);
  useEffect(() => {
    if (last === undefined) return;
    const target = isShown.current ? null : document.getElementById(`message-${sought?.message.id}`);
    isShown.current = true;
    if (target) target.scrollIntoView({ block: "center" });
    else list.current?.scrollTo(0, list.current.scrollHeight);
  }, [last]);
  const typing = [...(seen.typing.get(group.id) ?? [])];
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <main class="conversation">
      <header>
        <button type="button" class="icon back" aria-label={t.back} onClick={onBack}>
          ‹
        </button>
        <Avatar name={group.name} />
        <div>
          <h2>{group.name}</h2>
          <small role="status">{typing.length > 0 ? t.typing(typing) : namesOf(group, me)}</small>
        </div>
        <button type="button" onClick={() => showDetails(true)}>
          {t.details}
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <ol ref={list} class="messages" aria-label={t.chats} aria-live="polite" tabIndex={0}>
        {messages.length >= limit && (
          <li class="day">
            <button type="button" onClick={() => setLimit(limit + pageSize)}>
              {t.earlier}
            </button>
          </li>
        )}
        {messages.length === 0 && <li class="day">{t.noMessages}</li>}
        {messages.flatMap((message, at) => {
          const day = dayOf(message.sentAtMillis);
          const before = messages[at - 1];
          const isNewDay = before === undefined || dayOf(before.sentAtMillis) !== day;
          const answered = message.replyTo === undefined ? undefined : byId.get(message.replyTo);
          return [
            isNewDay && (
              <li class="day" key={`day ${message.id}`}>
                {day}
              </li>
            ),
            <Entry
              key={message.id}
              message={message}
              answered={answered}
              isSought={message.id === sought?.message.id}
              isFirst={isNewDay || before?.from.device !== message.from.device}
              group={group}
              me={me}
              onRegard={setRegarding}
            />,
          ];
        })}
      </ol>
      {group.state === "active" && (
        <Compose group={group} regarding={regarding} onDone={() => setRegarding(undefined)} />
      )}
      {group.state === "mustRejoin" && (
        <p class="ended">
          {t.mustRejoin}{" "}
          <button type="button" class="main" onClick={() => attempt(() => group.rejoin())}>
            {t.rejoin}
          </button>
        </p>
      )}
      {(group.state === "left" || group.state === "removed") && <p class="ended">{t.notMember}</p>}
      {showsDetails && <Details group={group} me={me} onClose={() => showDetails(false)} />}
    </main>
  );
}

/** Each person once, also one with many devices. */
function namesOf(group: Group, me: Groups): string {
  const names = new Map(group.members().map(({ user, name }) => [user, user === me.user ? t.you : name]));
  return [...names.values()].join(", ");
}
