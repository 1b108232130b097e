// What a user sets for a group for themself, such as that it is muted. All devices of the user have it, and nobody else. Each entry has the time at which
// it was set, and the latest counts. One of the devices may be lost: whatever it tells, the others can set and tell all that they could before.

import { demand, demandOptions } from "../../client/runtime/arguments.js";
import { isHex32 } from "../../protocol/encodings.js";
import { shownName } from "../encoding/names.js";
import { fileOfPicture, readPicture } from "../encoding/picture-format.js";
import { readUpTo } from "../store/chats.js";
import type { Ledger, Transaction } from "../store/ledger.js";
import { noteRead, seqOf } from "../store/messages.js";
import {
  groupPrefix,
  idKey,
  type Key,
  keyOf,
  localPrefix,
  profilePrefix,
  restOf,
  untoldPrefix,
} from "../store/record-keys.js";
import type { Entries, Entry, StoredProfile } from "../store/records.js";
import type { People } from "../store/shown-people.js";

/** By group. */
export type LocalNews = Record<string, Entries>;

/** Entries of the library, not of the application. */
const reserved = "$";
/** The id of the last message that the user has read. */
const readName = `${reserved}read`;
/** Of a user. */
export const blockedName = `${reserved}blocked`;
/** What this user calls them. */
export const calledName = `${reserved}name`;
/** What this user tells others of themself. */
export const profileName = `${reserved}profile`;
const ofUsers = [blockedName, calledName, profileName];
/** Before a user, where entries of a group have its id. */
export const userPrefix = "user-";
const usersPrefix = `${localPrefix}${userPrefix}` as typeof localPrefix;
/** Of users whom the user has blocked, and of those to whom the user has given a name. */
const maxSetHere = 1_000;
/** Users who are blocked, and as many others who were, or who have a name. */
const maxUsers = 2 * maxSetHere;
/** Of the application, for each group. As many that were removed are kept, so that all devices hear of it. */
const maxNames = 50;
const maxNameLength = 100;
/** Of its JSON. */
const maxValueLength = 20_000;
/** Groups of which others have told that this device is not in, or not yet. */
const maxGroups = 1_000;
/** How far the clock of another device may be ahead: what a lost one has set for a later time would bind the user for ever. */
const maxAheadMillis = 86_400_000;

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

const isOwn = (name: string) => !name.startsWith(reserved);

/** The entries of the library's own are known. */
function fits({ own }: People, group: string, [name, entry]: [string, Entry]): boolean {
  const isOfUser = group.startsWith(userPrefix);
  const isKnown = isOfUser
    ? ofUsers.includes(name) && isHex32(group.slice(userPrefix.length))
    : name === readName || isOwn(name);
  // The profile of others is what they tell.
  return isEntry(name, entry) && isKnown && (name !== profileName || group === userPrefix + own);
}

/** Without surplus ones, of which those go that were told longest ago; undefined if this device has set too many. */
function withRoom(entries: Entries): Entries | undefined {
  const surplus = [true, false].flatMap((isRemoved) => {
    const own = Object.entries(entries).filter(
      ([name, { value }]) => isOwn(name) && (value === undefined) === isRemoved,
    );
    own.sort(([, one], [, other]) => toldAt(one) - toldAt(other) || one.at - other.at);
    return own.slice(0, Math.max(0, own.length - maxNames));
  });
  if (surplus.some(([, { value, toldAtMillis }]) => value !== undefined && toldAtMillis === undefined))
    return undefined;
  const gone = new Set(surplus.map(([name]) => name));
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !gone.has(name)));
}

/** Later than all that was told. */
const setHere = 2 ** 53;

/** What was set on this device goes last. */
function toldAt({ toldAtMillis = setHere }: Entry): number {
  return toldAtMillis;
}

/** What other devices are told of these entries. */
export function toTell(entries: Entries): Entries {
  return Object.fromEntries(Object.entries(entries).map(([name, { value, at }]) => [name, { value, at }]));
}

export async function readLocal(ledger: Ledger, group: string): Promise<Record<string, unknown>> {
  const entries = (await ledger.read(keyOf(localPrefix, group))) ?? {};
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, { value }]) =>
      value === undefined || !isOwn(name) ? [] : [[name, value]],
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
  const set = Object.fromEntries(entries);
  if (withRoom({ ...known, ...set }) === undefined)
    throw new RangeError(`a group has at most ${maxNames} entries of one's own`);
  for (const name of [blockedName, calledName])
    if (group.startsWith(userPrefix) && changes[name] !== undefined && (await hasSetAll(transaction, name, group)))
      throw new RangeError(`a device blocks, and names, at most ${maxSetHere} users`);
  const news = await merge(transaction, group, { entries: set });
  const { names = [] } = (await transaction.read(keyOf(untoldPrefix, group))) ?? {};
  transaction.set(keyOf(untoldPrefix, group), { names: [...new Set([...names, ...Object.keys(news)])] });
}

/** Whether this device has set the entry for as many other users as it may. What other devices have told does not count: one of them may be lost. */
async function hasSetAll(transaction: Transaction, name: string, group: string): Promise<boolean> {
  const { blocked, called } = transaction.people;
  if ((name === blockedName ? blocked : called).size < maxSetHere) return false;
  const others = (await transaction.readAll(usersPrefix)).filter(([key]) => key !== keyOf(localPrefix, group));
  return others.filter(([, { [name]: entry }]) => entry !== undefined && isSetHere(entry)).length >= maxSetHere;
}

/** What the other devices are still to be told. A caller that takes it tells them in the same transaction. */
export async function takeUntold(transaction: Transaction): Promise<LocalNews[]> {
  const news: LocalNews[] = [];
  for (const [key, { names }] of await transaction.readAll(untoldPrefix)) {
    const group = restOf(key, untoldPrefix);
    const entries = (await transaction.read(keyOf(localPrefix, group))) ?? {};
    const untold = Object.entries(entries).filter(([name]) => names.includes(name));
    news.push({ [group]: toTell(Object.fromEntries(untold)) });
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
    const fitting = Object.entries(Object(entries) as Entries).flatMap(([name, one]): [string, Entry][] => {
      const { value, at } = Object(one) as Entry;
      return fits(transaction.people, group, [name, { value, at }]) && at <= nowMillis + maxAheadMillis
        ? [[name, { value, at }]]
        : [];
    });
    const merged = await merge(transaction, group, { entries: Object.fromEntries(fitting), toldAtMillis: nowMillis });
    if (Object.keys(merged).length > 0) news[group] = merged;
    const { [readName]: read } = merged;
    if (typeof read?.value === "string") await noteRead(transaction, group, [read.value]);
  }
  await makeRoom(transaction);
  return news;
}

function isSetHere({ value, toldAtMillis }: Entry): boolean {
  return value !== undefined && toldAtMillis === undefined;
}

/** Of groups that this device is not in, of users who are blocked, and of other users, those make way that were told longest ago. What was set on this device goes last. */
async function makeRoom(transaction: Transaction): Promise<void> {
  const groups: Key<Entries>[] = [];
  const blocked: Key<Entries>[] = [];
  const users: Key<Entries>[] = [];
  const ageOf = (entry: Entry) => (isSetHere(entry) ? setHere : (entry.toldAtMillis ?? entry.at));
  const latest = (entries: Entries) => Math.max(...Object.values(entries).map(ageOf));
  const all = (await transaction.readAll(localPrefix)).sort(([, one], [, other]) => latest(one) - latest(other));
  for (const [key, entries] of all)
    if (key.startsWith(usersPrefix)) {
      // A lost device could push out what the user tells of themself.
      if (entries[profileName] === undefined) (isBlocking(entries) ? blocked : users).push(key);
    } else if ((await transaction.get(groupPrefix + restOf(key, localPrefix))) === undefined) groups.push(key);
  for (const key of [groups.slice(0, -maxGroups), ...[blocked, users].map((keys) => keys.slice(0, -maxUsers))].flat()) {
    transaction.remove(key);
    if (key.startsWith(usersPrefix)) noteUser(transaction, restOf(key, usersPrefix), gone);
  }
}

/** Of a user who makes way. */
const gone: Entries = { [blockedName]: { value: undefined, at: 0 }, [calledName]: { value: undefined, at: 0 } };

/** Returns what is new. */
async function merge(
  transaction: Transaction,
  group: string,
  { entries, toldAtMillis }: { entries: Entries; toldAtMillis?: number },
): Promise<Entries> {
  const known = (await transaction.read(keyOf(localPrefix, group))) ?? {};
  const order = ({ at, value }: Entry) => `${String(at).padStart(16, "0")}${JSON.stringify(value) ?? ""}`;
  const isNew = ([name, one]: [string, Entry]) => known[name] === undefined || order(one) > order(known[name]);
  const wasSetHere = (name: string) => known[name] !== undefined && isSetHere(known[name]);
  const news = Object.entries(entries).filter(isNew);
  const changed = news.map(([name, one]) => [name, wasSetHere(name) ? one : { ...one, toldAtMillis }] as const);
  const all = withRoom({ ...known, ...Object.fromEntries(changed) });
  const taken = news.filter(([name]) => all !== undefined && Object.hasOwn(all, name));
  if (all === undefined || taken.length === 0) return {};
  transaction.set(keyOf(localPrefix, group), all);
  if (group.startsWith(userPrefix)) noteUser(transaction, restOf(group, userPrefix), Object.fromEntries(taken));
  else transaction.event({ type: "localChanged", group });
  return Object.fromEntries(taken);
}

function noteUser(transaction: Transaction, user: string, news: Entries): void {
  const { people } = transaction;
  if (news[blockedName] !== undefined) {
    const isBlocked = news[blockedName].value === true;
    transaction.event({ type: "blockedChanged", user, isBlocked });
    transaction.afterwards(() => void (isBlocked ? people.blocked.add(user) : people.blocked.delete(user)));
  }
  if (news[calledName] !== undefined) {
    const name = nameIn(news[calledName]);
    transaction.event({ type: "contactChanged", user, ...(name && { name }) });
  }
  const profile = profileIn(news);
  if (profile !== undefined) {
    const { name: before = "" } = people.profiles.get(user) ?? {};
    transaction.event({ type: "profileChanged", user, name: profile.name, before });
  }
  transaction.afterwards(() => remember(people, user, news));
}

function nameIn({ value }: Entry): string {
  return typeof value === "string" ? shownName(value) : "";
}

/** As another device of the user has set it. */
function profileIn({ [profileName]: entry }: Entries): StoredProfile | undefined {
  const { name, picture, day, changes } = (entry?.value ?? {}) as Partial<StoredProfile>;
  if (entry === undefined || typeof name !== "string") return undefined;
  const read = picture && readPicture(fileOfPicture(picture), picture.mediaType, picture.relay);
  const counted = { day: Number(day), changes: Number(changes) };
  return { name: shownName(name), ...(read && { picture: read }), at: entry.at, ...counted };
}

function remember(people: People, user: string, entries: Entries): void {
  const { [calledName]: called } = entries;
  const name = called && nameIn(called);
  if (name === "") people.called.delete(user);
  else if (name !== undefined) people.called.set(user, name);
  const profile = profileIn(entries);
  if (profile !== undefined) people.profiles.set(user, profile);
}

function isBlocking({ [blockedName]: entry }: Entries): boolean {
  return entry?.value === true;
}

/** The users among these entries, whom another device has blocked. */
export function blockedIn(news: LocalNews): string[] {
  return Object.entries(news).flatMap(([group, entries]) =>
    group.startsWith(userPrefix) && isBlocking(entries) ? [restOf(group, userPrefix)] : [],
  );
}

export async function loadPeople(ledger: Ledger, own: string): Promise<void> {
  ledger.people.own = own;
  const { blocked, profiles } = ledger.people;
  for (const [key, profile] of await ledger.readAll(profilePrefix)) profiles.set(restOf(key, profilePrefix), profile);
  for (const [key, entries] of await ledger.readAll(usersPrefix)) {
    for (const user of blockedIn({ [restOf(key, localPrefix)]: entries })) blocked.add(user);
    remember(ledger.people, restOf(key, usersPrefix), entries);
  }
}
