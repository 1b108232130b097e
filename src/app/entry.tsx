import { useEffect, useState } from "preact/hooks";
import type { Group, Groups, Message } from "../groups/index.js";
import type { Regarding } from "./conversation.js";
import { attempt, inBackground, timeOf } from "./parts.js";
import { seen } from "./session.js";
import { t } from "./texts.js";

const emojis = ["👍", "❤️", "😂", "😮", "😢"];
/** Pictures up to this size are shown without being asked for. */
const maxShownBytes = 8_000_000;
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];

interface EntryProps {
  message: Message;
  answered: Message | undefined;
  isFirst: boolean;
  isSought: boolean;
  group: Group;
  me: Groups;
  onRegard(regarding: Regarding): void;
}

/** One message, with what can be done with it. */
export function Entry({ message, answered, isFirst, isSought, group, me, onRegard }: EntryProps) {
  const { id, from, text, file } = message;
  const counts = new Map<string, number>();
  for (const emoji of Object.values(message.reactions)) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  const own = message.reactions[me.user];
  const isGone = text === "" && file === undefined;
  const isUsers = from.user === me.user;
  const react = (emoji: string) => attempt(() => group.react(id, own === emoji ? "" : emoji));
  return (
    <li id={`message-${id}`} class={`entry${isUsers ? " mine" : ""}${isSought ? " sought" : ""}`}>
      <div class="bubble">
        {isFirst && !isUsers && <span class="from">{from.name}</span>}
        {answered && (
          <blockquote>
            <b>{answered.from.name}</b> {answered.text || answered.file?.name || t.takenBack}
          </blockquote>
        )}
        {file && <Attached message={message} group={group} />}
        {isGone ? <em>{t.takenBack}</em> : <p>{text}</p>}
        <small class="meta">
          {message.editedAtMillis !== undefined && !isGone && `${t.edited} · `}
          {timeOf(message.sentAtMillis)}
          {isUsers && ` · ${deliveryOf(message)}`}
        </small>
      </div>
      {group.state === "active" && !isGone && (
        <details class="tools">
          <summary aria-label={t.react}>⋯</summary>
          <div>
            {emojis.map((emoji) => (
              <button type="button" key={emoji} aria-pressed={own === emoji} onClick={() => react(emoji)}>
                {emoji}
              </button>
            ))}
            <button type="button" onClick={() => onRegard({ how: "reply", message })}>
              {t.reply}
            </button>
            {isUsers && (
              <>
                <button type="button" onClick={() => onRegard({ how: "edit", message })}>
                  {t.edit}
                </button>
                <button type="button" onClick={() => attempt(() => group.edit(id, ""))}>
                  {t.takeBack}
                </button>
              </>
            )}
          </div>
        </details>
      )}
      {counts.size > 0 && (
        <div class="reactions">
          {[...counts].map(([emoji, count]) => (
            <button type="button" key={emoji} aria-pressed={own === emoji} onClick={() => react(emoji)}>
              {emoji} {count}
            </button>
          ))}
        </div>
      )}
      {seen.undelivered.get(id)?.map((address) => (
        <small class="bad" role="alert" key={address}>
          {t.undelivered(address)}
        </small>
      ))}
    </li>
  );
}

function deliveryOf({ id, receipts }: Message): string {
  const told = Object.values(receipts);
  if (told.includes("read")) return t.read;
  if (told.includes("delivered")) return t.delivered;
  return seen.pending.has(id) ? t.pending : t.sent;
}

/** A picture as it is, any other file as a button. */
function Attached({ message, group }: { message: Message; group: Group }) {
  const { file } = message;
  const [url, setUrl] = useState<string | undefined>(undefined);
  const name = file?.name ?? "";
  const type = file?.mediaType ?? "";
  const isShown = pictures.includes(type) && Number(file?.reference.file_size) <= maxShownBytes;
  const get = async () => {
    // Another type could be a page that runs as this one.
    const blob = await new Response(group.download(message)).blob();
    return URL.createObjectURL(new Blob([blob], { type: isShown ? type : "application/octet-stream" }));
  };
  useEffect(() => {
    if (!isShown) return;
    const ended = { is: false };
    inBackground(async () => {
      const made = await get();
      if (ended.is) URL.revokeObjectURL(made);
      else setUrl(made);
    });
    return () => {
      ended.is = true;
    };
  }, []);
  useEffect(() => (url === undefined ? undefined : () => URL.revokeObjectURL(url)), [url]);
  if (url !== undefined) return <img src={url} alt={name} />;
  const save = async () => {
    const made = await get();
    const link = document.createElement("a");
    link.href = made;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(made), 60_000);
  };
  return (
    <button type="button" class="file" aria-label={t.download(name)} onClick={() => attempt(save)}>
      ↓ {name}
    </button>
  );
}
