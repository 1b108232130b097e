import { useEffect, useRef, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Button } from "./button.js";
import { Compose, type Regarding } from "./compose.js";
import { NotYet } from "./contacts.js";
import { Details } from "./details.js";
import { answeredBy, draftOf, keepDraft } from "./drafts.js";
import { Apart } from "./error-boundary.js";
import { useChanges } from "./hooks.js";
import { JoinRequests } from "./invitations.js";
import { Entry } from "./message.js";
import { useMessageWindow } from "./message-window.js";
import { Face } from "./profile-pictures.js";
import { markRead } from "./receipts.js";
import { me, seen } from "./session.js";
import { type Line, linesOf } from "./system-messages.js";
import { attempt, inBackground } from "./tasks.js";
import { fill, t } from "./texts.js";
import { dayOf } from "./times.js";

interface ConversationProps {
  group: Group;
  /** The message to start at. */
  sought: Message | undefined;
  onBack(): void;
  onGroup(group: Group): void;
}

export function Conversation({ group, sought, onBack, onGroup }: ConversationProps) {
  const version = useChanges();
  const [showsDetails, showDetails] = useState(false);
  const [regarding, setRegarding] = useState<Regarding | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  const files = useRef<(files: Iterable<File>) => void>(() => undefined);
  const shown = useMessageWindow({ group, version, sought, list });
  const { messages, isAtEnd, onScroll, showNewest } = shown;
  const lines = linesOf(group.id);
  const { firstUnread, isKnown, forgetUnread } = useUnread(group);
  const isRequest = group.state === "active" && group.consent === "unknown";
  const successor = me().group(group.continuedIn ?? "");
  const mayWrite = group.state === "active" && !isRequest && successor === undefined && group.may("send");
  const markSeen = () => {
    if (document.visibilityState !== "visible" || !isKnown) return;
    const inView = idsInView(list.current);
    inBackground(() =>
      markRead(
        group,
        messages.filter(({ id }) => inView.has(id)),
        me().user,
      ),
    );
  };
  useEffect(() => {
    markSeen();
    document.addEventListener("visibilitychange", markSeen);
    return () => document.removeEventListener("visibilitychange", markSeen);
  }, [messages, isKnown]);
  const answerAgain = () => inBackground(async () => setRegarding(asReply(await answeredBy(group))));
  useEffect(answerAgain, []);
  const regard = (next: Regarding) => {
    if (next.how === "reply") keepDraft(group.id, { text: draftOf(group.id).text, answers: next.message.seq });
    setRegarding(next);
  };
  const forgetOther = () => {
    setRegarding(undefined);
    // After an edit, an unfinished reply continues.
    if (regarding?.how === "edit") answerAgain();
    else keepDraft(group.id, { text: draftOf(group.id).text });
  };
  const sent = () => {
    forgetUnread();
    showNewest();
  };
  const forgetChat = () => {
    if (confirm(t.forgetSure)) attempt(() => group.forget().then(onBack));
  };
  const typing = [...(seen.typing.get(group.id)?.values() ?? [])].map(({ name }) => name || t.nameless);
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <main
      class="conversation"
      onDrop={({ dataTransfer }) => {
        if (mayWrite && dataTransfer !== null) files.current?.([...dataTransfer.files]);
      }}
    >
      <header>
        <Button icon="‹" label={t.back} class="icon back" onClick={onBack} />
        <Face name={group.name} of={group} />
        <div>
          <h2>
            <bdi>{group.name || t.nameless}</bdi>
          </h2>
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
        onScroll={() => {
          onScroll();
          markSeen();
        }}
      >
        {messages.length === 0 && <li class="day">{t.noMessages}</li>}
        {messages.length === 0 && lines.map(asItem)}
        {messages.flatMap((message, at) => {
          const day = dayOf(message.sentAtMillis);
          const before = messages[at - 1];
          const isNewDay = before === undefined || dayOf(before.sentAtMillis) !== day;
          const next = messages[at + 1];
          const after = (next !== undefined || shown.hasNewest) && between(lines, message.seq, next?.seq);
          return [
            ...(before === undefined && shown.isWhole ? between(lines, 0, message.seq) : []),
            message.seq === firstUnread && (
              <li class="day unread" key="unread">
                {t.newMessages}
              </li>
            ),
            isNewDay && (
              <li class="day" key={`day ${message.id}`}>
                {day}
              </li>
            ),
            <Apart key={message.id}>
              <Entry
                message={message}
                answered={byId.get(message.replyTo ?? "")}
                isSought={message.id === sought?.id}
                isFirst={isNewDay || before?.from.device !== message.from.device}
                group={group}
                onRegard={regard}
              />
            </Apart>,
            ...(after || []),
          ];
        })}
      </ol>
      {!isAtEnd && <Button icon="↓" label={t.newest} class="newest" onClick={showNewest} />}
      <NotYet group={group} />
      {mayWrite && <Compose group={group} regarding={regarding} onFiles={files} onSent={sent} onDone={forgetOther} />}
      <JoinRequests group={group} />
      {isRequest && <Request group={group} onDecline={onBack} />}
      {successor !== undefined && (
        <p class="ended">
          {t.continued} <Button label={t.continuedOpen} onClick={() => onGroup(successor)} />
        </p>
      )}
      {group.state === "active" && !isRequest && !successor && !mayWrite && <p class="ended">{t.mayNotWrite}</p>}
      {group.state === "mustRejoin" && <MustRejoin group={group} onGroup={onGroup} />}
      {(group.state === "left" || group.state === "removed") && (
        <p class="ended">
          {t.notMember} <Button label={t.forget} class="danger" onClick={forgetChat} />
        </p>
      )}
      {showsDetails && <Details group={group} onClose={() => showDetails(false)} onGroup={onGroup} />}
    </main>
  );
}

/** The first message that was unread when the chat was opened. The mark stays there, so that users find where they were. */
function useUnread(group: Group) {
  const [{ isKnown, firstUnread }, setUnread] = useState<{ isKnown: boolean; firstUnread?: number | undefined }>({
    isKnown: false,
  });
  useEffect(
    () =>
      inBackground(async () => {
        const unread = await group.messages({ after: await group.readUpTo(), limit: maxUnread });
        setUnread({ isKnown: true, firstUnread: unread.find(({ isMine }) => !isMine)?.seq });
      }),
    [],
  );
  return { isKnown, firstUnread, forgetUnread: () => setUnread({ isKnown: true }) };
}

const asItem = ({ seq, text }: Line) => (
  <li class="day" key={`line ${seq} ${text}`}>
    <bdi>{text}</bdi>
  </li>
);

function between(lines: readonly Line[], after: number, before = Number.POSITIVE_INFINITY) {
  return lines.filter(({ seq }) => seq > after && seq < before).map(asItem);
}

/** How many unread messages are read to find the first, which is marked. */
const maxUnread = 1_000;
/** How much of a message must be in view to count as read. */
const readPixels = 32;

/** The messages that the user sees now, unless something covers them. */
function idsInView(list: HTMLElement | null): ReadonlySet<string> {
  const { top = 0, bottom = 0 } = list?.getBoundingClientRect() ?? {};
  const ids = new Set<string>();
  if (document.querySelector("dialog[open]") !== null) return ids;
  for (const entry of list?.querySelectorAll(".entry") ?? []) {
    const shown = entry.getBoundingClientRect();
    const enough = Math.min(readPixels, shown.height);
    if (Math.min(bottom, shown.bottom) - Math.max(top, shown.top) >= enough) ids.add(entry.id.slice("message-".length));
  }
  return ids;
}

const asReply = (message: Message | undefined): Regarding | undefined => message && { how: "reply", message };

/** Asks the user about a group of strangers. */
function Request({ group, onDecline }: { group: Group; onDecline(): void }) {
  const decline = () =>
    attempt(async () => {
      await group.decline();
      onDecline();
    });
  const name = group.invitedBy?.name || t.nameless;
  return (
    <p class="ended">
      <bdi>{fill(t.request, { name, count: group.members().length })}</bdi>{" "}
      <Button label={t.accept} class="main" onClick={() => attempt(() => group.accept())} />{" "}
      <Button label={t.decline} onClick={decline} />
    </p>
  );
}

/** Offers a way to continue: rejoining, or a new group if nobody can add this device. */
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
      // People who join later cannot read earlier messages.
      const added = next.add(others.map(({ address, user, isSigned }) => (isSigned ? { address, user } : address)));
      await added.finally(() => onGroup(next));
    });
  return (
    <p class="ended">
      {t.restarted} <Button label={t.beginAgain} class="main" onClick={begin} />
    </p>
  );
}

/** Lists each person once, even with many devices. */
function namesOf(group: Group): string {
  const names = new Map(group.members().map(({ user, name }) => [user, user === me().user ? t.you : name]));
  return [...names.values()].map((name) => name || t.nameless).join(", ");
}
