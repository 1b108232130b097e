import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Delivery, Group, Message } from "../groups/index.js";
import { Attachment } from "./attachments.js";
import { Button } from "./button.js";
import { shortOf } from "./chat-row.js";
import type { Regarding } from "./compose.js";
import { deliveryOf } from "./delivery-marks.js";
import { Dialog } from "./dialog.js";
import { withMentions } from "./message-text.js";
import { changed, me, nowMillis } from "./session.js";
import { attempt } from "./tasks.js";
import { AskText } from "./text-field.js";
import { fill, t } from "./texts.js";
import { momentOf, timeOf } from "./times.js";

const emojis = ["👍", "❤️", "😂", "😮", "😢"];
/** The most characters of a report's text for the operators. */
const maxDetails = 1_000;

interface EntryProps {
  message: Message;
  answered: Message | undefined;
  isFirst: boolean;
  isSought: boolean;
  group: Group;
  onRegard(regarding: Regarding): void;
}

/** One message, with its actions. */
export function Entry({ message, answered, isFirst, isSought, group, onRegard }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const [isReporting, setReporting] = useState(false);
  const { id, from, text, file, content, replyTo } = message;
  const isGone = text === "" && file === undefined && content === undefined;
  const isUsers = from.user === me().user;
  const mayWrite = group.state === "active" && group.may("send");
  const mayChange = mayWrite && isUsers && !isGone;
  const item = useRef<HTMLLIElement>(null);
  const close = () => setOpen(false);
  const regard = (regarding: Regarding) => {
    close();
    onRegard(regarding);
  };
  // Another message, or a click beside it, closes the menu.
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => !item.current?.contains(target as Node) && close();
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
  return (
    <li
      ref={item}
      id={`message-${id}`}
      onKeyDown={({ key }) => key === "Escape" && close()}
      class={`entry${isUsers ? " mine" : ""}${isSought ? " sought" : ""}`}
    >
      <div class="bubble">
        {isFirst && !isUsers && <bdi class="from">{from.name || t.nameless}</bdi>}
        {replyTo !== undefined && (
          <blockquote>
            {answered
              ? [<b key="from">{answered.from.name || t.nameless}</b>, " ", <bdi key="text">{shortOf(answered)}</bdi>]
              : t.earlier}
          </blockquote>
        )}
        {file && <Attachment message={message} group={group} />}
        {isGone && <em>{t.takenBack}</em>}
        {content && text === "" ? <em>{t.notShown}</em> : <p dir="auto">{withMentions(message)}</p>}
        <small class="meta">
          {message.editedAtMillis !== undefined && !isGone && `${t.edited} · `}
          {timeOf(message.sentAtMillis)}
          {isUsers && ` · ${deliveryOf(message)}`}
        </small>
      </div>
      <Button
        icon="⋯"
        label={mayWrite ? t.actions : t.moreActions}
        class="icon more"
        expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      <Reactions message={message} group={group} isOpen={isOpen} onDone={close}>
        {mayWrite && !isGone && <Button label={t.reply} onClick={() => regard({ how: "reply", message })} />}
        {mayChange && !content && <Button label={t.edit} onClick={() => regard({ how: "edit", message })} />}
        {mayChange && <Button label={t.takeBack} onClick={() => attempt(() => group.edit(id, "").then(close))} />}
        <Button label={t.deleteHere} onClick={() => attempt(() => group.deleteMessages([id]).then(changed))} />
        {!isUsers && !isGone && (
          <Button
            label={t.report}
            onClick={() => {
              close();
              setReporting(true);
            }}
          />
        )}
      </Reactions>
      {isReporting && <Report message={id} group={group} onClose={() => setReporting(false)} />}
      <Delay delivery={message.delivery} />
      {message.delivery?.undelivered.map(({ address }) => (
        <small class="bad" role="alert" key={address}>
          {fill(t.undelivered, { address })}
        </small>
      ))}
    </li>
  );
}

function Report({ message, group, onClose }: { message: string; group: Group; onClose(): void }) {
  const send = (details: string) => attempt(() => group.report(message, { details }).then(onClose));
  return (
    <Dialog title={t.report} onClose={onClose}>
      <AskText label={t.reportWhy} hint={t.reportHint} submit={t.reportSend} max={maxDetails} onText={send} />
    </Dialog>
  );
}

/** Why a message has not been sent, and when it is tried again. */
function Delay({ delivery }: { delivery: Delivery | undefined }) {
  const { error, retryAtMillis } = delivery ?? {};
  if (retryAtMillis === undefined) return null;
  const time = momentOf(retryAtMillis, nowMillis());
  return (
    <small class="hint" role="status">
      {error === "RATE_LIMIT_EXCEEDED" ? fill(t.delayedLimited, { time }) : t.delayedAway}
    </small>
  );
}

interface ReactionsProps {
  message: Message;
  onDone(): void;
  group: Group;
  /** Whether all reactions are offered, besides those that others have given. */
  isOpen: boolean;
  children: ComponentChildren;
}

function Reactions({ message: { id, reactions }, group, isOpen, onDone, children }: ReactionsProps) {
  /** The users of each emoji. */
  const users = new Map<string, string[]>();
  for (const [user, given] of Object.entries(reactions))
    for (const emoji of given) users.set(emoji, [...(users.get(emoji) ?? []), user]);
  const own = reactions[me().user] ?? [];
  const mayReact = group.state === "active" && group.may("send");
  const shown = new Set([...users.keys(), ...(isOpen && mayReact ? emojis : [])]);
  const without = (emoji: string) => own.filter((one) => one !== emoji);
  if (shown.size === 0 && !isOpen) return null;
  return (
    <div class="reactions">
      {[...shown].map((emoji) => (
        <Button
          key={emoji}
          icon={users.has(emoji) ? `${emoji} ${users.get(emoji)?.length}` : emoji}
          label={users.has(emoji) ? `${emoji} ${users.get(emoji)?.length}: ${namesOf(group, users.get(emoji))}` : emoji}
          pressed={own.includes(emoji)}
          disabled={!mayReact}
          onClick={() =>
            attempt(() => group.react(id, own.includes(emoji) ? without(emoji) : [...own, emoji]).then(onDone))
          }
        />
      ))}
      {isOpen && children}
    </div>
  );
}

/** Users who are no longer in the group are listed without their names. */
function namesOf(group: Group, users: readonly string[] = []): string {
  const known = new Map(group.members().map(({ user, name }) => [user, user === me().user ? t.you : name]));
  return users.map((user) => known.get(user) || t.nameless).join(", ");
}
