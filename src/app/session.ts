// The device of this page: opened once, in one tab at a time, and observed by the views.

import { AnswerError } from "../client/index.js";
import {
  type Group,
  type Groups,
  hasDevice,
  InvitationError,
  indexedDbStore,
  type Message,
  memoryStore,
  openGroups,
  type PassingEvent,
  type RecoveryError,
  type RestoreOptions,
  type StoredEvent,
  tsMls,
  UnreachableError,
} from "../groups/index.js";
import { type Contact, contactOf } from "./contact-links.js";
import { forget, forgetAll, remember, remembered } from "./local-storage.js";
import * as notifications from "./notifications.js";
import { tellDelivered } from "./receipts.js";
import { Refusal } from "./refusal.js";
import { isQuiet } from "./shown-notifications.js";
import { disappearingText, nameText, noteLine, noteLines, userKeyText } from "./system-messages.js";
import { fill, t } from "./texts.js";

/** A code that the user has to compare, and the function that takes the answer. */
export interface Comparison {
  code: string;
  answer(isSame: boolean): void;
}

type State =
  | { at: "signUp" }
  /** The relay admits nobody without an invite, or not with the one that was given. */
  | { at: "notInvited"; name: string; hadInvite: boolean }
  | { at: "starting" }
  /** This device is being linked to another one of the same user. It shows `qr` with a short code for it, and then a code to compare. */
  | { at: "linking"; qr?: string; code?: string; comparison?: Comparison; isWaiting?: true }
  | { at: "otherTab" }
  | { at: "failed"; problem: string; isEnglish: boolean; isStorage: boolean }
  /** The browser has deleted the device of this page, but not what `local-storage.ts` remembers. */
  | { at: "lost"; name: string }
  | { at: "open" };

/** Why a message waits, and until when. */
interface Delayed {
  isLimited: boolean;
  retryAtMillis: number;
}

interface NotYet {
  group: string;
  /** The address of a person about whom nothing else is known. */
  name: string;
  isLimited: boolean;
  retryAtMillis: number;
}

/** Settings of a chat that only its user has, on all their devices. */
export interface Own {
  pinned?: boolean;
  muted?: boolean;
  archived?: boolean;
}

/** By user: the name, and what ends it. */
type Typing = Map<string, { name: string; timer: ReturnType<typeof setTimeout> }>;

const store = "mls-relay app";
const tabs = new BroadcastChannel(store);
/** Pictures and files that stay after their relay has deleted them. */
const keptFileBytes = 200_000_000;
const listeners = new Set<() => void>();
const invitationFragment = "#mls-relay-group=";
/** A chat that a notification opens. */
const chatFragment = /^#chat=([0-9a-f]+)$/;
/** An invite to the relay, from the fragment of its link. */
const relayInvite = /^#invite=([\w.-]+)$/;

/** What the views show besides the groups, such as groups that this device has asked to join. */
export const seen = {
  /** Keyed by message ids, or by group ids for anything that is not a message. */
  delayed: new Map<string, Delayed>(JSON.parse(remembered("delayed") ?? "[]")),
  waiting: new Map<string, string>(JSON.parse(remembered("waiting") ?? "[]")),
  /** The group that the user asked to join last. Its chat is opened as soon as possible. */
  asked: undefined as string | undefined,
  entered: undefined as string | undefined,
  /** People who are not in a group yet because adding them was delayed, by group and address. */
  notYet: new Map<string, NotYet>(JSON.parse(remembered("notYet") ?? "[]")),
  typing: new Map<string, Typing>(),
  problem: undefined as { text: string; detail: string } | undefined,
  /** The person whose contact link was opened. */
  contact: undefined as Contact | undefined,
};

let opened: Groups | undefined;
let state: State = remembered("name") === undefined ? { at: "signUp" } : { at: "starting" };
/** The link that opened this page. It is kept until it has been used, because the first start may fail. */
let pendingLink = remembered("link");
takeLink();
globalThis.addEventListener("hashchange", () => {
  if (takeLink() === undefined) return changed();
  if (state.at === "open") attemptLink();
  else changed();
});

/** Removes the link from the address bar, where its secret would be visible. */
function takeLink(): string | undefined {
  noteInvite();
  noteChat();
  const link = linkOf(new URL(location.href));
  if (link === undefined) return undefined;
  history.replaceState(null, "", location.pathname);
  pendingLink = link;
  remember("link", link);
  return link;
}

/** An invitation, or the address of an info package that the relay has redirected here. */
function linkOf({ href, hash, searchParams }: URL): string | undefined {
  if (hash.startsWith(invitationFragment)) return href;
  const info = searchParams.get("info");
  return info === null ? undefined : info + hash;
}

/** The invite is kept until the device is registered, which may take more than one start. */
function noteInvite(): void {
  const [, code] = relayInvite.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname);
  if (remembered("name") === undefined) remember("invite", code);
}

function noteChat(): void {
  const [, chat] = chatFragment.exec(location.hash) ?? [];
  if (chat === undefined) return;
  history.replaceState(history.state, "", location.pathname);
  seen.entered = chat;
}

export function isInvited(): boolean {
  return remembered("invite") !== undefined;
}

export function currentState(): State {
  return state;
}

/** The open device. Only for views that are shown while it is open. */
export function me(): Groups {
  if (opened === undefined) throw new Error("no device is open");
  return opened;
}

/** When the relay accepts messages again, if it accepts none from this device now. */
export function limitedUntil(): number | undefined {
  const ends = [...seen.delayed.values()].flatMap(({ isLimited, retryAtMillis }) => (isLimited ? [retryAtMillis] : []));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

export const nowMillis = (): number => me().device.connection.clock.nowMillis();

export function hasInvitation(): boolean {
  return pendingLink !== undefined;
}

/** Calls a listener after every change. Returns a function that stops it. */
export function observe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const storageFull = "QuotaExceededError";
const nameOf = (problem: unknown): string => (problem as { name?: string } | undefined)?.name ?? "";

const drawingMillis = 30;
let willDraw = false;

/** Redraws all views soon: many changes in a row are drawn once. */
export function changed(): void {
  if (willDraw) return;
  willDraw = true;
  setTimeout(() => {
    willDraw = false;
    for (const listener of listeners) listener();
  }, drawingMillis);
}

/** Changes what the views show besides the groups. */
export function update(news: Partial<typeof seen>): void {
  Object.assign(seen, news);
  changed();
}

function enter(next: State): void {
  state = next;
  changed();
}

/** Whether another tab has the store and this one gets it next. */
let isWaiting = false;
/** Whether another tab has asked for the store while this one was starting. */
let mustLeave = false;

interface OpenOptions {
  withoutStorage?: boolean;
  takeOver?: boolean;
  link?: boolean;
  restore?: RestoreOptions;
  /** The code or handle of an invite to the relay. */
  invite?: string | undefined;
}

/** Opens the device, which the first call creates. */
export async function open(
  name: string,
  { withoutStorage = false, takeOver = false, link = false, restore, invite = remembered("invite") }: OpenOptions = {},
): Promise<void> {
  if (invite !== undefined) remember("invite", invite);
  if (takeOver) tabs.postMessage("take over");
  // This tab already waits for the store. A second wait would keep the store from the next tab.
  if (isWaiting) return;
  enter({ at: link ? "linking" : "starting" });
  try {
    if (remembered("name") !== undefined && !withoutStorage && !(await hasDevice(indexedDbStore(store)))) {
      forgetAll();
      return enter({ at: "lost", name });
    }
    opened = await openGroups({
      relay: new URL("..", location.href).origin,
      store: withoutStorage ? memoryStore() : indexedDbStore(store),
      name,
      mls: tsMls(),
      admission: invite === undefined ? undefined : { by: "invite", code: invite },
      keepFiles: keptFileBytes,
      autoAccept: false,
      link: link ? linkOptions : undefined,
      restore,
      onLocked: () => {
        isWaiting = true;
        enter({ at: "otherTab" });
      },
    });
    isWaiting = false;
    remember("name", me().name);
    forget("invite");
    if (mustLeave) return leaveStore();
    me().subscribe((event) => {
      if (event.type === "typing") noteTyping(event);
      // Incoming messages cannot be stored.
      if (event.type === "problem" && nameOf(event.problem) === storageFull) report(event.problem);
      changed();
    });
    // After a week without a visit, Safari deletes data that it was not asked to keep. The app works even if the browser refuses.
    if (!withoutStorage) void navigator.storage?.persist?.().catch(() => false);
    enter({ at: "open" });
    void drain();
    void notifications.resume(me()).catch(report);
    for (const { group, name } of await me().lostGroups()) seen.waiting.set(group, name);
    for (const id of seen.waiting.keys()) if (me().group(id)?.state === "active") seen.waiting.delete(id);
    attemptLink();
  } catch (problem) {
    isWaiting = false;
    if (nameOf(problem) === "RecoveryError") {
      enter({ at: "signUp" });
      return report(problem);
    }
    if (isClosed(problem)) {
      forget("invite");
      enter({ at: "notInvited", name, hadInvite: invite !== undefined });
      return;
    }
    const storageProblems = ["SecurityError", "InvalidStateError", "UnknownError", storageFull];
    const isStorage = storageProblems.includes(nameOf(problem));
    const known = textOf(problem);
    enter({ at: "failed", problem: known ?? messageOf(problem), isEnglish: known === undefined, isStorage });
  }
}

/** Whether the relay asks for an invite, or has refused the one that was given. */
function isClosed(problem: unknown): boolean {
  if (!(problem instanceof AnswerError)) return false;
  const { error, extras } = problem;
  return (
    error === "REGISTRATION_CLOSED" || (error === "INVALID_REQUEST" && JSON.stringify(extras).includes("invite_code"))
  );
}

const linkOptions = {
  show: (qr: string, code?: string) => enter({ at: "linking", qr, ...(code !== undefined && { code }) }),
  compare: (code: string) =>
    new Promise<boolean>((resolve) => {
      const answer = (isSame: boolean) => {
        enter({ at: "linking", isWaiting: true });
        resolve(isSame);
      };
      enter({ at: "linking", comparison: { code, answer } });
    }),
};

const drainAgainMillis = 5_000;

/** Handles events until the device is closed. The store may fail meanwhile. */
async function drain(): Promise<void> {
  try {
    await noteEvents();
  } catch (problem) {
    report(problem);
    setTimeout(() => void drain(), drainAgainMillis);
  }
}

/** Keeps only those facts of an event that no group has: the views read the groups themselves. */
async function noteEvents(): Promise<void> {
  for await (const event of me().events()) {
    switch (event.type) {
      case "message":
        if (!event.message.isMine) {
          void tellDelivered(me().group(event.group), event.message).catch(report);
          void showIfWanted(event, event.message).catch(report);
        }
        break;
      case "joinRequest":
        void showIfWanted(event).catch(report);
        break;
      case "messageChanged":
        if (event.message.text === "") void notifications.withdraw([event.message.id]).catch(report);
        break;
      case "disappeared":
        void notifications.withdraw(event.messages).catch(report);
        break;
      case "sent":
        seen.delayed.delete(event.message);
        seen.delayed.delete(event.group);
        break;
      case "undelivered":
        seen.delayed.delete(event.message ?? event.group);
        break;
      case "joinedGroup":
        seen.waiting.delete(event.group);
        if (seen.asked === event.group) seen.entered = event.group;
        break;
      case "joinRefused":
        seen.waiting.delete(event.group);
        report(new Refusal(fill(t.joinRefused, { name: event.name })));
        break;
      case "delayed":
        seen.delayed.set(event.message ?? event.group, {
          isLimited: event.error === "RATE_LIMIT_EXCEEDED",
          retryAtMillis: event.retryAtMillis,
        });
        break;
      case "notAdded":
        noteNotAdded(event);
        break;
      case "changed":
        for (const { address } of event.joined) seen.notYet.delete(`${event.group} ${address}`);
        noteLines(event, me().group(event.group)?.members() ?? []);
        break;
      case "userKeyChanged":
        noteLine(event.group, { seq: event.seq, text: userKeyText(event, me().group(event.group)?.members() ?? []) });
        break;
      case "profileChanged":
        for (const { id, state } of groupsWith(event.user))
          if (state === "active" && event.name !== event.before)
            noteLine(id, { seq: event.seq, text: nameText(event) });
        break;
      case "appearanceChanged":
        noteLine(event.group, {
          seq: event.seq,
          text: fill(t.appearanceChanged, { name: event.by?.name || t.nameless }),
        });
        break;
      case "disappearingChanged":
        noteLine(event.group, { seq: event.seq, text: disappearingText(event) });
        break;
      case "forgotten":
        for (const key of ["draft", "lines"]) forget(`${key} ${event.group}`);
        break;
      case "removed":
      case "leftGroup":
      case "mustRejoin":
        for (const [key, { group }] of seen.notYet) if (group === event.group) seen.notYet.delete(key);
        break;
    }
    remember("notYet", JSON.stringify([...seen.notYet]));
    remember("waiting", JSON.stringify([...seen.waiting]));
    remember("delayed", JSON.stringify([...seen.delayed]));
    changed();
  }
}

const groupsWith = (user: string): Group[] =>
  me()
    .groups()
    .filter((group) => group.members().some((one) => one.user === user));

/** Users want to know when they are mentioned, even in a muted chat. */
async function showIfWanted({ group: id }: { group: string }, message?: Message): Promise<void> {
  const group = me().group(id);
  // Strangers cannot attract attention by writing.
  if (group === undefined || group.consent === "unknown") return;
  const isNamed = message?.mentions?.some(({ user }) => user === me().user) ?? false;
  if (isNamed || !isQuiet(await group.local<Own>())) await notifications.showIfHidden(message && { group, message });
}

const names = new Map<string, string>();

/** Remembers whose addresses these are, so that names can be shown before the people are members. */
export function noteNames(name: string, addresses: readonly string[]): void {
  for (const address of addresses) names.set(address, name);
}

function noteNotAdded({ group, address, error, retryAtMillis }: Extract<StoredEvent, { type: "notAdded" }>): void {
  const key = `${group} ${address}`;
  const name = names.get(address) ?? seen.notYet.get(key)?.name ?? address;
  seen.notYet.delete(key);
  if (retryAtMillis !== undefined)
    seen.notYet.set(key, { group, name, isLimited: error === "RATE_LIMIT_EXCEEDED", retryAtMillis });
  else report(new Refusal(fill(t.notAdded, { name, group: me().group(group)?.name ?? "" })));
}

const typingMillis = 6_000;

function noteTyping({ group, member: { user, name }, isTyping }: Extract<PassingEvent, { type: "typing" }>): void {
  const those: Typing = seen.typing.get(group) ?? new Map();
  seen.typing.set(group, those);
  clearTimeout(those.get(user)?.timer);
  const end = () => those.delete(user) && changed();
  if (isTyping) those.set(user, { name, timer: setTimeout(end, typingMillis) });
  else end();
}

tabs.onmessage = () => {
  if (state.at === "open") leaveStore();
  else mustLeave = !isWaiting;
};

/** Hands the device over to another tab. */
function leaveStore(): void {
  mustLeave = false;
  me().close().catch(report);
  enter({ at: "otherTab" });
}

/** Uses the link that opened the page. If the relay cannot be reached, the link is tried again at the next start. */
function attemptLink(): void {
  if (pendingLink === undefined) return;
  openLink(pendingLink).then(forgetLink, (problem: unknown) => {
    report(problem);
    const isOver = problem instanceof InvitationError || problem instanceof Refusal || isFinal(problem);
    if (isOver) forgetLink();
  });
}

/** Whether the same call would fail again. */
function isFinal(problem: unknown): boolean {
  const { status, name } = problem as { status?: number; name?: string };
  return name === "MalformedError" || (status !== undefined && status >= 400 && status < 500 && status !== 429);
}

function forgetLink(): void {
  pendingLink = undefined;
  forget("link");
}

/** Joins a group, or shows the person behind a contact link. */
export async function openLink(link: string): Promise<void> {
  if (!link.includes(invitationFragment)) return update({ contact: await contactOf(link) });
  const { group, name } = await me().join(link);
  seen.waiting.set(group, name);
  seen.asked = group;
  remember("waiting", JSON.stringify([...seen.waiting]));
  changed();
}

/** Stops waiting to be let into a group: perhaps nobody will ever do that. */
export function stopWaiting(group: string): void {
  seen.waiting.delete(group);
  remember("waiting", JSON.stringify([...seen.waiting]));
  changed();
}

/** Shows what went wrong until the person does something else. */
export function report(problem: unknown): void {
  // An event has reported it.
  if (problem instanceof UnreachableError) return;
  const known = textOf(problem);
  const detail = known === undefined ? messageOf(problem) : "";
  // A view that fails whenever it is drawn must not cause another redraw.
  if (seen.problem?.text === (known ?? t.failed) && seen.problem.detail === detail) return;
  update({ problem: { text: known ?? t.failed, detail } });
}

/** The text for a problem in the page's language, if there is one. */
function textOf(problem: unknown): string | undefined {
  if (problem instanceof Refusal) return problem.message;
  const { reason = "", permission } = problem as { reason?: string; permission?: string };
  const texts: Record<string, string> = {
    malformed: t.linkMalformed,
    expired: t.linkExpired,
    member: t.linkMember,
    different: t.linkOver,
    late: t.linkOver,
    unknown: t.linkUnknown,
    NotPermittedError: permission === "administrator" ? t.lastAdministrator : t.notPermitted,
    key: fill(t.recoveryKeyWrong, { groups: ((problem as Partial<RecoveryError>).groups ?? []).join(", ") }),
    otherKey: t.backupOtherKey,
    damaged: t.backupDamaged,
    version: t.backupVersion,
    [storageFull]: t.storageFull,
  };
  return texts[reason || nameOf(problem)];
}

/** The technical message, which is always in English. */
const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem));

export function invitationLink(group: Group): Promise<{ link: string }> {
  return group.invite({ appUrl: location.origin + location.pathname, uses: 100 });
}
