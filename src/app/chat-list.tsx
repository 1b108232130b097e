import { useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { AskForBackup } from "./backup.js";
import { Button } from "./button.js";
import { maxCounted, Row } from "./chat-row.js";
import { NotYet } from "./contacts.js";
import { Account } from "./devices.js";
import { Dialog } from "./dialog.js";
import { Apart } from "./error-boundary.js";
import { useChanges, useReading } from "./hooks.js";
import { Face } from "./profile-pictures.js";
import { type Choose, Found } from "./search.js";
import { limitedUntil, me, nowMillis, type Own, openLink, seen, stopWaiting } from "./session.js";
import { attempt } from "./tasks.js";
import { AskText, maxNameLength } from "./text-field.js";
import { fill, t } from "./texts.js";
import { momentOf } from "./times.js";

interface Chat {
  group: Group;
  last: Message | undefined;
  unread: number;
  own: Own;
}

/** All groups, the most recently active first. */
export function ChatList({ chosen, onChoose }: { chosen: string | undefined; onChoose: Choose }) {
  const version = useChanges();
  const [chats, setChats] = useState<Chat[]>([]);
  const [asking, ask] = useState<"create" | "join" | "own" | undefined>(undefined);
  const [query, setQuery] = useState("");
  const [showsArchived, showArchived] = useState(false);
  useReading(async () => {
    const found = await Promise.all(
      me()
        .groups()
        .map((group) => chatOf(group).catch((): Chat => ({ group, last: undefined, unread: 0, own: {} }))),
    );
    setChats(found);
    const isLoud = ({ group, own }: Chat) => !own.muted && !own.archived && group.consent !== "unknown";
    const loud = found.filter(isLoud);
    const unread = loud.reduce((sum, one) => sum + one.unread, 0);
    document.title = unread === 0 ? t.app : `(${unread > maxCounted ? `${maxCounted}+` : unread}) ${t.app}`;
  }, [version]);
  const close = () => ask(undefined);
  const finish = (work: () => Promise<unknown>) => {
    close();
    attempt(work);
  };
  const isOver = ({ group, last }: Chat) => group.continuedIn !== undefined && last === undefined;
  const shown = chats.filter((chat) => !isOver(chat) && (showsArchived || !chat.own.archived));
  const found = [...shown.filter(({ own }) => own.pinned), ...shown.filter(({ own }) => !own.pinned)];
  const archived = chats.filter(({ own }) => own.archived).length;
  const rows = found.map(({ group, last, unread, own }) => (
    <Apart key={group.id}>
      <Row
        group={group}
        last={group.consent === "unknown" ? undefined : last}
        unread={unread}
        marks={[group.consent === "unknown" && t.requested, own.pinned && t.pinned, own.muted && t.muted].filter(
          (mark) => typeof mark === "string",
        )}
        isChosen={group.id === chosen}
        onClick={() => onChoose(group.id)}
      />
    </Apart>
  ));
  return (
    <nav aria-label={t.chats} class="chats">
      <header>
        <Face name={me().name} of={me().user} />
        <div>
          <h1>{me().name}</h1>
          <small role="status">{statusOf()}</small>
        </div>
        <Button label={t.account} onClick={() => ask("own")} />
      </header>
      <div class="actions">
        <Button label={t.newGroup} class="main" onClick={() => ask("create")} />
        <Button label={t.joinByLink} onClick={() => ask("join")} />
      </div>
      {[...seen.waiting].map(([group, name]) => (
        <p class="hint pad" role="status" key={group}>
          {fill(t.waiting, { name })}{" "}
          <Button icon="✕" label={t.cancel} class="icon" onClick={() => stopWaiting(group)} />
        </p>
      ))}
      <AskForBackup onBackup={() => ask("own")} />
      <NotYet />
      {chats.length > 0 && (
        <input
          type="search"
          class="search"
          aria-label={t.search}
          placeholder={t.search}
          onInput={({ currentTarget }) => setQuery(currentTarget.value.trim())}
        />
      )}
      {chats.length === 0 && seen.waiting.size === 0 && <p class="hint pad">{t.noChats}</p>}
      {query === "" ? <ul>{rows}</ul> : <Found query={query} onChoose={onChoose} />}
      {query === "" && archived > 0 && (
        <Button
          label={fill(t.archivedChats, { count: archived })}
          class="icon"
          expanded={showsArchived}
          onClick={() => showArchived(!showsArchived)}
        />
      )}
      {asking === "own" && <Account onClose={close} />}
      {asking === "create" && (
        <Dialog title={t.newGroup} onClose={close}>
          <AskText
            label={t.groupName}
            submit={t.create}
            max={maxNameLength}
            onText={(name) => finish(async () => onChoose((await me().create({ name })).id))}
          />
        </Dialog>
      )}
      {asking === "join" && (
        <Dialog title={t.joinByLink} onClose={close}>
          <AskText label={t.invitationLink} submit={t.join} onText={(link) => finish(() => openLink(link))} />
        </Dialog>
      )}
    </nav>
  );
}

/** Whether messages can be sent now. */
function statusOf(): string {
  const until = limitedUntil();
  const isLimited = me().status === "online" && until !== undefined && until > nowMillis();
  return isLimited ? fill(t.limited, { time: momentOf(until, nowMillis()) }) : t[me().status];
}

async function chatOf(group: Group): Promise<Chat> {
  const [last] = await group.messages({ limit: 1 });
  return { group, last, unread: await group.unread(maxCounted + 1), own: await group.local<Own>() };
}
