import { useEffect, useState } from "preact/hooks";
import { Restore } from "./backup.js";
import { Button } from "./button.js";
import { ChatList } from "./chat-list.js";
import { NewContact } from "./contacts.js";
import { Conversation } from "./conversation.js";
import { Linking } from "./devices.js";
import { Problem } from "./dialog.js";
import { useChanges } from "./hooks.js";
import { forget, remember, remembered } from "./local-storage.js";
import type { Hit } from "./search.js";
import { currentState, hasInvitation, isInvited, me, open, seen, update } from "./session.js";
import { AskText, maxNameLength } from "./text-field.js";
import { t } from "./texts.js";

// A file dropped beside the chat must not replace the page.
for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.preventDefault());

/** The view for the present phase of the session. */
export function App() {
  useChanges();
  useEffect(() => {
    const name = remembered("name");
    if (name !== undefined) void open(name);
  }, []);
  const state = currentState();
  const name = remembered("name") ?? "";
  switch (state.at) {
    case "open":
      return <Messenger />;
    case "starting":
      return (
        <Notice title={t.app}>
          <p role="status">{t.starting}</p>
        </Notice>
      );
    case "linking":
      return (
        <Notice title={t.linkThis}>
          <Linking {...state} />
        </Notice>
      );
    case "otherTab":
      return (
        <Notice title={t.otherTab}>
          <Button label={t.useHere} class="main" onClick={() => open(name, { takeOver: true })} />
        </Notice>
      );
    case "failed":
      return (
        <Notice title={t.cannotStart}>
          <p role="alert">
            {state.isStorage ? t.noStorage : <span lang={state.isEnglish ? "en" : undefined}>{state.problem}</span>}
          </p>
          {state.isStorage && <p class="hint">{t.noStorageHint}</p>}
          <Button label={t.retry} class="main" onClick={() => location.reload()} />
          {state.isStorage && (
            <Button label={t.withoutStorage} onClick={() => open(name || t.you, { withoutStorage: true })} />
          )}
        </Notice>
      );
    case "lost":
      return (
        <Notice title={t.deviceLost}>
          <p role="alert">{t.deviceLostHint}</p>
          <Button label={t.linkThis} class="main" onClick={() => open("", { link: true })} />
          <Restore />
          <Button label={t.startAgain} onClick={() => open(state.name)} />
        </Notice>
      );
    case "notInvited":
      return (
        <Notice title={t.inviteNeeded}>
          {state.hadInvite && <p role="alert">{t.inviteRefused}</p>}
          <p class="hint">{t.inviteNeededHint}</p>
          <AskText
            label={t.inviteCode}
            submit={t.start}
            onText={(typed) => open(state.name, { invite: codeOf(typed) })}
          />
          {state.hadInvite && <Button label={t.withoutInvite} onClick={() => open(state.name)} />}
          <Button label={t.linkThis} onClick={() => open("", { link: true })} />
        </Notice>
      );
    default:
      return (
        <Notice title={t.welcome}>
          <p class="hint">{hasInvitation() ? t.invited : isInvited() ? t.invitedToRelay : t.welcomeHint}</p>
          <AskText
            label={t.yourName}
            hint={t.yourNameHint}
            max={maxNameLength}
            submit={t.start}
            onText={(given) => open(given)}
          />
          <Button label={t.linkThis} onClick={() => open("", { link: true })} />
          <Restore />
          <Problem />
        </Notice>
      );
  }
}

/** People may paste an invite's link instead of its code. */
function codeOf(typed: string): string {
  return typed.slice(typed.lastIndexOf("=") + 1);
}

function Notice({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <main class="notice">
      <img class="logo" src="./icon.svg" alt="" />
      <h1>{title}</h1>
      {children}
    </main>
  );
}

function Messenger() {
  const [{ chosen, hit }, setChosen] = useState<{ chosen?: string | undefined; hit?: Hit | undefined }>(() => ({
    chosen: remembered("chat"),
  }));
  useEffect(() => {
    if (chosen !== undefined && history.state !== "chat") history.pushState("chat", "");
    const leave = () => choose();
    globalThis.addEventListener("popstate", leave);
    return () => globalThis.removeEventListener("popstate", leave);
  }, [chosen]);
  const choose = (chosen?: string, hit?: Hit) => {
    // Users who have opened something else meanwhile stay there.
    update({ asked: undefined });
    setChosen({ chosen, hit });
    if (chosen === undefined) forget("chat");
    else remember("chat", chosen);
  };
  const { entered } = seen;
  useEffect(() => {
    if (entered === undefined) return;
    choose(entered);
    update({ entered: undefined });
  }, [entered]);
  const group = chosen === undefined ? undefined : me().group(chosen);
  return (
    <div class={group === undefined ? "messenger" : "messenger chosen"}>
      <ChatList chosen={chosen} onChoose={choose} />
      {group === undefined ? (
        <main class="empty">
          <p>{t.choose}</p>
        </main>
      ) : (
        <Conversation
          key={`${group.id} ${hit?.message.id}`}
          group={group}
          sought={hit?.message}
          onBack={() => history.back()}
          onGroup={({ id }) => choose(id)}
        />
      )}
      {seen.contact && <NewContact contact={seen.contact} onGroup={({ id }) => choose(id)} />}
      <Problem />
    </div>
  );
}
