// What a user sets for a group for themself, such as that it is muted. All devices of the user have it, and nobody else. Each entry has the time at which
// it was set, and the latest counts.

import { demand, demandOptions } from "../../client/runtime/arguments.js";
import { decodeRecord } from "../encoding/records.js";
import { readUpTo } from "../store/chats.js";
import type { Ledger, Transaction } from "../store/ledger.js";
import { noteRead, seqOf } from "../store/messages.js";
import { idKey, keyOf, localPrefix, restOf, untoldPrefix } from "../store/record-keys.js";
import type { Entries, Entry } from "../store/records.js";

/** By group. */
export type LocalNews = Record<string, Entries>;

/** What the user sets within this time is told together: a draft changes with each key. */
export const togetherMillis = 3_000;
/** Entries of the library, not of the application. */
const reserved = "$";
/** The id of the last message that the user has read. */
const readName = `${reserved}read`;
/** Of a user. */
const blockedName = `${reserved}blocked`;
/** Before a user, where entries of a group have its id. */
const userPrefix = "user-";
const maxBlocked = 1_000;
const maxNames = 50;
const maxNameLength = 100;
/** Of its JSON. */
const maxValueLength = 20_000;
const maxGroups = 1_000;
/** How far the clock of another device may be ahead: what a lost one has set for a later time would bind the user for ever. */
const maxAheadMillis = 86_400_000;
/** Of one message to another device, in characters of its JSON. */
const maxTold = 50_000;

export function demandLocal(changes: unknown): void {
  demandOptions(changes, "changes");
  for (const [name, value] of Object.entries(changes as object))
    demand(isEntry(name, { value, at: 0 }) && !name.startsWith(reserved), value, {
      what: `changes.${name}`,
      expected: `JSON of at most ${maxValueLength} characters, with a name of 1 to ${maxNameLength} that does not begin with ${reserved}`,
    });
}

function isEntry(name: string, { value, at }: Entry): boolean {
  const length = value === undefined ? 0 : (JSON.stringify(value)?.length ?? Number.POSITIVE_INFINITY);
  const isNamed = name.length > 0 && name.length <= maxNameLength && name !== "__proto__";
  return isNamed && length <= maxValueLength && Number.isSafeInteger(at) && at >= 0;
}

export async function readLocal(ledger: Ledger, group: string): Promise<Record<string, unknown>> {
  const entries = (await ledger.read(keyOf(localPrefix, group))) ?? {};
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, { value }]) =>
      value === undefined || name.startsWith(reserved) ? [] : [[name, value]],
    ),
  );
}

/** The number of the last message that the user has read on any device. What another one has told may have come before the message. */
export async function readPosition(ledger: Ledger, group: string): Promise<number> {
  const { [readName]: told } = (await ledger.read(keyOf(localPrefix, group))) ?? {};
  const seq = typeof told?.value === "string" ? await seqOf(ledger, group, told.value) : undefined;
  return Math.max(await readUpTo(ledger, group), seq ?? 0);
}

/** Notes that the user has read this message and all before it, for all their devices. */
export async function setRead(
  ledger: Ledger,
  transaction: Transaction,
  { group, id, nowMillis }: { group: string; id: string; nowMillis: number },
): Promise<void> {
  const before = await readPosition(ledger, group);
  await noteRead(transaction, group, [id]);
  if (((await seqOf(ledger, group, id)) ?? 0) > before)
    await setLocal(transaction, { group, changes: { [readName]: id }, nowMillis });
}

/** Sets entries; `undefined` removes one. The other devices are still to be told. */
export async function setLocal(
  transaction: Transaction,
  { group, changes, nowMillis }: { group: string; changes: Record<string, unknown>; nowMillis: number },
): Promise<void> {
  const known = (await transaction.read(keyOf(localPrefix, group))) ?? {};
  // Another device's clock may be ahead.
  const atOf = (name: string) => Math.max(Math.floor(nowMillis), (known[name]?.at ?? -1) + 1);
  const entries = Object.entries(changes).map(([name, value]) => [name, { value, at: atOf(name) }] as const);
  if (Object.keys({ ...known, ...changes }).length > maxNames)
    throw new RangeError(`a group has at most ${maxNames} entries of one's own`);
  const news = await merge(transaction, group, Object.fromEntries(entries));
  const { names = [] } = (await transaction.read(keyOf(untoldPrefix, group))) ?? {};
  transaction.set(keyOf(untoldPrefix, group), { names: [...new Set([...names, ...Object.keys(news)])] });
}

/** What the other devices are still to be told. A caller that takes it tells them in the same transaction. */
export async function takeUntold(transaction: Transaction): Promise<LocalNews[]> {
  const news: LocalNews[] = [];
  for (const [key, { names }] of await transaction.readAll(untoldPrefix)) {
    const group = restOf(key, untoldPrefix);
    const entries = (await transaction.read(keyOf(localPrefix, group))) ?? {};
    news.push({ [group]: Object.fromEntries(Object.entries(entries).filter(([name]) => names.includes(name))) });
    transaction.remove(key);
  }
  return news;
}

export async function hasUntold(ledger: Ledger): Promise<boolean> {
  return (await ledger.store.list({ prefix: untoldPrefix, limit: 1 })).length > 0;
}

/** Takes what another device of the user has told. Returns what is new. */
export async function takeLocal(transaction: Transaction, told: unknown, nowMillis: number): Promise<LocalNews> {
  const news: LocalNews = {};
  for (const [group, entries] of Object.entries(Object(told))) {
    if (idKey(group) !== group) continue;
    const isKnown = (await transaction.get(keyOf(localPrefix, group))) !== undefined;
    if (!isKnown && (await transaction.list(localPrefix, maxGroups)).length >= maxGroups) continue;
    const fitting = Object.entries(Object(entries)).filter(([name, one]) => {
      const { at } = Object(one);
      return isEntry(name, Object(one)) && at <= nowMillis + maxAheadMillis;
    });
    const merged = await merge(transaction, group, Object.fromEntries(fitting) as Entries);
    if (Object.keys(merged).length > 0) news[group] = merged;
    const { [readName]: read } = merged;
    if (typeof read?.value === "string") await noteRead(transaction, group, [read.value]);
  }
  return news;
}

async function merge(transaction: Transaction, group: string, entries: Entries): Promise<Entries> {
  const known = (await transaction.read(keyOf(localPrefix, group))) ?? {};
  const order = ({ at, value }: Entry) => `${String(at).padStart(16, "0")}${JSON.stringify(value) ?? ""}`;
  const isNew = ([name, one]: [string, Entry]) => known[name] === undefined || order(one) > order(known[name]);
  const news = Object.fromEntries(Object.entries(entries).filter(isNew));
  const all = { ...known, ...news };
  const count = Object.keys(all).length;
  if (Object.keys(news).length === 0 || count > maxNames) return {};
  transaction.set(keyOf(localPrefix, group), all);
  if (group.startsWith(userPrefix)) noteBlocked(transaction, restOf(group, userPrefix), all);
  else transaction.event({ type: "localChanged", group });
  return news;
}

function noteBlocked(transaction: Transaction, user: string, { [blockedName]: entry }: Entries): void {
  const isBlocked = entry?.value === true;
  transaction.event({ type: "blockedChanged", user, isBlocked });
  const { blocked } = transaction;
  transaction.afterwards(() => void (isBlocked ? blocked.add(user) : blocked.delete(user)));
}

/** Blocks a user, or takes that back. The other devices are still to be told. */
export async function setBlocked(
  transaction: Transaction,
  { user, isBlocked, nowMillis }: { user: string; isBlocked: boolean; nowMillis: number },
): Promise<void> {
  const { blocked } = transaction;
  if (blocked.has(user) === isBlocked) return;
  if (isBlocked && blocked.size >= maxBlocked) throw new RangeError(`a user blocks at most ${maxBlocked} others`);
  const changes = { [blockedName]: isBlocked || undefined };
  await setLocal(transaction, { group: userPrefix + user, changes, nowMillis });
}

/** The users among these entries, whom another device has blocked. */
export function blockedIn(news: LocalNews): string[] {
  return Object.entries(news).flatMap(([group, { [blockedName]: entry }]) =>
    group.startsWith(userPrefix) && entry?.value === true ? [restOf(group, userPrefix)] : [],
  );
}

export async function loadBlocked(ledger: Ledger): Promise<void> {
  for (const [key, entries] of await ledger.readAll(`${localPrefix}${userPrefix}` as typeof localPrefix))
    for (const user of blockedIn({ [restOf(key, localPrefix)]: entries })) ledger.blocked.add(user);
}

/** All that is set, for a new device: in messages that are not too large. */
export async function allLocal(ledger: Ledger): Promise<LocalNews[]> {
  const messages: LocalNews[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const [key, value] of await ledger.store.list({ prefix: localPrefix })) {
    if (length + value.length > maxTold) {
      messages.push({});
      length = 0;
    }
    length += value.length;
    Object.assign(messages.at(-1) as LocalNews, { [restOf(key, localPrefix)]: decodeRecord<Entries>(value) });
  }
  return messages;
}
