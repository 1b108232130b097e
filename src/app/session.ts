// The device of this page: opened once, in one tab at a time, and observed by the views.

import {
  type Group,
  type Groups,
  indexedDbStore,
  type Message,
  memoryStore,
  openGroups,
  type PassingEvent,
  type StoredEvent,
  tsMls,
  UnreachableError,
} from "../groups/index.js";
import { type Contact, contactOf } from "./contact.js";
import { Refusal, remember, remembered } from "./local.js";
import * as notifications from "./notifications.js";
import { fill, t } from "./texts.js";

type State =
  | { at: "signUp" }
  | { at: "starting" }
  /** This device becomes one of a user who has another: it shows `qr`, and then a code to compare. */
  | { at: "linking"; qr?: string; code?: string; answer?(isSame: boolean): void }
  | { at: "otherTab" }
  | { at: "failed"; problem: string; isStorage: boolean }
  | { at: "open" };

interface NotYet {
  group: string;
  /** The address of somebody of whom nothing else is known. */
  name: string;
  isLimited: boolean;
  retryAtMillis: number;
}

/** Names, each with what ends it. */
type Typing = Map<string, ReturnType<typeof setTimeout>>;

const store = "mls-relay app";
const tabs = new BroadcastChannel(store);
const listeners = new Set<() => void>();
const invitation = "#mls-relay-group=";

/** What the groups themselves do not know: messages on their way, and groups that this device has asked to join. */
export const seen = {
  sent: new Set<string>(),
  pending: new Set<string>(JSON.parse(remembered("pending") ?? "[]")),
  undelivered: new Map<string, string[]>(JSON.parse(remembered("undelivered") ?? "[]")),
  waiting: new Map<string, string>(),
  /** People who are still to be added to a group, because an attempt has been put off: by group and address. */
  notYet: new Map<string, NotYet>(JSON.parse(remembered("notYet") ?? "[]")),
  typing: new Map<string, Typing>(),
  problem: undefined as { text: string; detail: string } | undefined,
  /** The person whose link was opened. */
  contact: undefined as Contact | undefined,
};

let opened: Groups | undefined;
let state: State = remembered("name") === undefined ? { at: "signUp" } : { at: "starting" };
let pendingLink = linkOf(new URL(location.href));
if (pendingLink !== undefined) history.replaceState(null, "", location.pathname);

/** An invitation, or the address of an info package, from which the relay has led here. */
function linkOf({ href, hash, searchParams }: URL): string | undefined {
  if (hash.startsWith(invitation)) return href;
  const info = searchParams.get("info");
  return info === null ? undefined : info + hash;
}

export function currentState(): State {
  return state;
}

/** The user of this device. Only for views that are shown while it is open. */
export function me(): Groups {
  if (opened === undefined) throw new Error("no device is open");
  return opened;
}

export function hasInvitation(): boolean {
  return pendingLink !== undefined;
}

/** Calls a listener after every change. Returns what ends that. */
export function observe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const storageFull = "QuotaExceededError";
const nameOf = (problem: unknown): string => (problem as { name?: string } | undefined)?.name ?? "";

const drawingMillis = 30;
let willDraw = false;

/** Draws all views again, soon: many changes in a row are drawn once. */
export function changed(): void {
  if (willDraw) return;
  willDraw = true;
  setTimeout(() => {
    willDraw = false;
    for (const listener of listeners) listener();
  }, drawingMillis);
}

/** Notes what the views show besides the groups. */
export function update(news: Partial<typeof seen>): void {
  Object.assign(seen, news);
  changed();
}

function enter(next: State): void {
  state = next;
  changed();
}

/** Opens the device, and makes it the first time. */
export async function open(
  name: string,
  { withoutStorage = false, takeOver = false, link = false } = {},
): Promise<void> {
  enter({ at: link ? "linking" : "starting" });
  if (takeOver) tabs.postMessage("take over");
  try {
    opened = await openGroups({
      relay: new URL("..", location.href).origin,
      store: withoutStorage ? memoryStore() : indexedDbStore(store),
      name,
      mls: tsMls(),
      link: link ? linkOptions : undefined,
      onLocked: () => enter({ at: "otherTab" }),
    });
    remember("name", me().name);
    me().subscribe((event) => {
      if (event.type === "typing") noteTyping(event);
      // What others send cannot be stored.
      if (event.type === "problem" && nameOf(event.problem) === storageFull) report(event.problem);
      changed();
    });
    // Safari deletes after a week without a visit what it was not asked to keep. A browser that refuses does not stop anybody.
    if (!withoutStorage) void navigator.storage?.persist?.().catch(() => false);
    enter({ at: "open" });
    void drain();
    void notifications.resume(me()).catch(report);
    if (pendingLink !== undefined) await openLink(pendingLink).catch(report);
  } catch (problem) {
    const storageProblems = ["SecurityError", "InvalidStateError", "UnknownError", storageFull];
    const isStorage = storageProblems.includes(nameOf(problem));
    enter({ at: "failed", problem: messageOf(problem), isStorage });
  }
}

const linkOptions = {
  show: (qr: string) => enter({ at: "linking", qr }),
  compare: (code: string) =>
    new Promise<boolean>((resolve) => {
      const answer = (isSame: boolean) => {
        enter({ at: "starting" });
        resolve(isSame);
      };
      enter({ at: "linking", code, answer });
    }),
};

const drainAgainMillis = 5_000;

/** Notes events until the device is closed. The store may fail meanwhile. */
async function drain(): Promise<void> {
  try {
    await noteEvents();
  } catch (problem) {
    report(problem);
    setTimeout(() => void drain(), drainAgainMillis);
  }
}

/** The views read the groups themselves. Of the events, only what no group knows is noted. */
async function noteEvents(): Promise<void> {
  for await (const event of me().events()) {
    switch (event.type) {
      case "message":
        if (event.message.isMine && !seen.sent.has(event.message.id)) seen.pending.add(event.message.id);
        if (event.message.from.user !== me().user) {
          noteDelivered(event.message);
          void notifications.showIfHidden().catch(report);
        }
        break;
      case "sent":
        seen.sent.add(event.message);
        seen.pending.delete(event.message);
        break;
      case "undelivered": {
        const key = event.message ?? event.group;
        seen.undelivered.set(key, [...(seen.undelivered.get(key) ?? []), event.address]);
        break;
      }
      case "joinedGroup":
        seen.waiting.delete(event.group);
        break;
      case "notAdded":
        noteNotAdded(event);
        break;
      case "changed":
        for (const { address } of event.joined) seen.notYet.delete(`${event.group} ${address}`);
        break;
      case "removed":
      case "leftGroup":
      case "mustRejoin":
        for (const [key, { group }] of seen.notYet) if (group === event.group) seen.notYet.delete(key);
        break;
      case "history":
        // Another device of the user has had them, so they are no news. Their numbers begin at 0.
        remember("history", String(event.messages));
    }
    remember("pending", JSON.stringify([...seen.pending]));
    remember("undelivered", JSON.stringify([...seen.undelivered]));
    remember("notYet", JSON.stringify([...seen.notYet]));
    changed();
  }
}

const names = new Map<string, string>();

/** Remembers who has these addresses, for what is shown of them before they are members. */
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
const receiptDelayMillis = 300;
/** With more members, receipts would be most of what is sent. */
const maxMembersForReceipts = 20;

function noteTyping({ group, member: { name }, isTyping }: Extract<PassingEvent, { type: "typing" }>): void {
  const names: Typing = seen.typing.get(group) ?? new Map();
  seen.typing.set(group, names);
  clearTimeout(names.get(name));
  const end = () => names.delete(name) && changed();
  if (isTyping) names.set(name, setTimeout(end, typingMillis));
  else end();
}

const delivered = new Map<string, Message[]>();

/** Tells senders that messages are here, many at once. */
function noteDelivered(message: Message): void {
  const { group } = message;
  const waiting = delivered.get(group) ?? [];
  delivered.set(group, [...waiting, message]);
  if (waiting.length > 0) return;
  setTimeout(() => {
    const news = (delivered.get(group) ?? []).filter(({ seq }) => seq > lastRead(group));
    delivered.delete(group);
    void sendReceipt(me().group(group), news, "delivered").catch(report);
  }, receiptDelayMillis);
}

async function sendReceipt(group: Group | undefined, messages: Message[], status: "delivered" | "read") {
  if (group?.state !== "active" || group.members().length > maxMembersForReceipts) return;
  await group.receipt(
    messages.map(({ id }) => id),
    status,
  );
}

tabs.onmessage = () => {
  if (state.at !== "open") return;
  void me().close();
  enter({ at: "otherTab" });
};

/** Joins a group, or shows whom a link leads to. */
export async function openLink(link: string): Promise<void> {
  pendingLink = undefined;
  if (!link.includes(invitation)) return update({ contact: await contactOf(link) });
  const { group, name } = await me().join(link);
  seen.waiting.set(group, name);
  changed();
}

/** Shows what went wrong until the person does something else. */
export function report(problem: unknown): void {
  // An event has told it.
  if (problem instanceof UnreachableError) return;
  const { reason = "" } = problem as { reason?: string };
  const texts: Record<string, string> = {
    malformed: t.linkMalformed,
    expired: t.linkExpired,
    member: t.linkMember,
    [storageFull]: t.storageFull,
  };
  const known = problem instanceof Refusal ? problem.message : texts[reason || nameOf(problem)];
  const detail = known === undefined ? messageOf(problem) : "";
  // A view that fails each time it is drawn must not cause the next drawing.
  if (seen.problem?.text === (known ?? t.failed) && seen.problem.detail === detail) return;
  update({ problem: { text: known ?? t.failed, detail } });
}

/** In English, whatever the page's language is. */
const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem));

export function invitationLink(group: Group): Promise<{ link: string }> {
  return group.invite({ appUrl: location.origin + location.pathname, uses: 100 });
}

/** The `seq` of the last message that was seen in a group. */
export function lastRead(group: string): number {
  return Math.max(Number(remembered(`read ${group}`) ?? 0), Number(remembered("history") ?? 0));
}

/** Marks messages as seen, and tells their senders. */
export async function markRead(group: Group, messages: readonly Message[]): Promise<void> {
  const last = messages.at(-1);
  const before = lastRead(group.id);
  if (last === undefined || last.seq <= before) return;
  remember(`read ${group.id}`, String(last.seq));
  changed();
  const news = messages.filter(({ seq, from }) => seq > before && from.user !== me().user);
  await sendReceipt(group, news, "read");
}
