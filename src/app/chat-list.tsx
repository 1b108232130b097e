import { useEffect, useState } from "preact/hooks";
import type { Group, Groups, Message } from "../groups/index.js";
import { Account } from "./devices.js";
import { AskText, Avatar, attempt, Dialog, timeOf, useChanges } from "./parts.js";
import { Found, type Hit } from "./search.js";
import { lastRead, openLink, seen } from "./session.js";
import { t } from "./texts.js";

interface Row {
  group: Group;
  last: Message | undefined;
  unread: number;
}

/** Most messages that are counted as unread. */
const maxCounted = 99;

/** All groups, the one with the newest message first. */
export function ChatList({
  me,
  chosen,
  onChoose,
}: {
  me: Groups;
  chosen: string | undefined;
  onChoose(group: string, hit?: Hit): void;
}) {
  const version = useChanges();
  const [rows, setRows] = useState<Row[]>([]);
  const [asking, ask] = useState<"create" | "join" | "own" | undefined>(undefined);
  const [query, setQuery] = useState("");
  useEffect(() => {
    void Promise.all(me.groups().map((group) => rowOf(group, me))).then((found) =>
      setRows(found.sort((one, other) => (other.last?.sentAtMillis ?? 0) - (one.last?.sentAtMillis ?? 0))),
    );
  }, [version]);
  const finish = (work: () => Promise<unknown>) => {
    ask(undefined);
    attempt(work);
  };
  return (
    <nav aria-label={t.chats} class="chats">
      <header>
        <Avatar name={me.name} />
        <div>
          <h1>{me.name}</h1>
          <small role="status" class={me.status}>
            {t.status[me.status]}
          </small>
        </div>
        <button type="button" onClick={() => ask("own")}>
          {t.account}
        </button>
      </header>
      <div class="actions">
        <button type="button" class="main" onClick={() => ask("create")}>
          {t.newGroup}
        </button>
        <button type="button" onClick={() => ask("join")}>
          {t.joinByLink}
        </button>
      </div>
      {[...seen.waiting.values()].map((name) => (
        <p class="hint pad" role="status" key={name}>
          {t.waiting(name)}
        </p>
      ))}
      {rows.length > 0 && (
        <input
          type="search"
          class="search"
          aria-label={t.search}
          placeholder={t.search}
          onInput={({ currentTarget }) => setQuery(currentTarget.value.trim())}
        />
      )}
      {query !== "" && <Found me={me} query={query} onChoose={onChoose} />}
      {rows.length === 0 && seen.waiting.size === 0 && <p class="hint pad">{t.noChats}</p>}
      <ul hidden={query !== ""}>
        {rows.map(({ group, last, unread }) => (
          <li key={group.id}>
            <button
              type="button"
              aria-current={group.id === chosen ? "true" : undefined}
              onClick={() => onChoose(group.id)}
            >
              <Avatar name={group.name} />
              <span class="about">
                <span class="name">{group.name}</span>
                <span class="last">
                  {last &&
                    `${last.from.user === me.user ? "" : `${last.from.name}: `}${last.text || last.file?.name || t.takenBack}`}
                </span>
              </span>
              <span class="when">
                <small>{last && timeOf(last.sentAtMillis)}</small>
                {unread > 0 && (
                  <span class="badge">
                    <span aria-hidden="true">{unread}</span>
                    <span class="hidden">{t.unread(unread)}</span>
                  </span>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {asking === "own" && <Account me={me} onClose={() => ask(undefined)} />}
      {asking === "create" && (
        <Dialog title={t.newGroup} onClose={() => ask(undefined)}>
          <AskText
            label={t.groupName}
            submit={t.create}
            onText={(name) => finish(async () => onChoose((await me.create({ name })).id))}
          />
        </Dialog>
      )}
      {asking === "join" && (
        <Dialog title={t.joinByLink} onClose={() => ask(undefined)}>
          <AskText label={t.invitationLink} submit={t.join} onText={(link) => finish(() => openLink(me, link))} />
        </Dialog>
      )}
    </nav>
  );
}

async function rowOf(group: Group, me: Groups): Promise<Row> {
  const messages = await group.messages({ limit: maxCounted });
  const read = lastRead(group.id);
  const unread = messages.filter(({ seq, from }) => seq > read && from.user !== me.user).length;
  return { group, last: messages.at(-1), unread };
}
