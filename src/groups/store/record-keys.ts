// The keys of all records in a device's store, with the form of the rest of each key and what is stored there. Stores outlive versions of
// this library: a key never changes, and of a record nothing that an older version has written becomes unreadable.

import { sha256 } from "@noble/hashes/sha2.js";
import type { DeviceClient, PendingCommit, Session } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import type { Change } from "../mls/changes.js";
import type { KeptEvent, Message } from "./events.js";
import type {
  Account,
  Arriving,
  Chat,
  Dispute,
  EndOf,
  Entries,
  KeptFile,
  Link,
  LoggedCommit,
  Lost,
  OutboxItem,
  Reportable,
  SentFile,
  StoredDelivery,
  StoredEffect,
  StoredMembership,
  StoredPackage,
  StoredProfile,
  StoredRequest,
  Told,
  Unlinked,
  Uploaded,
  Waiting,
  WaitingWelcome,
} from "./records.js";

declare const content: unique symbol;
declare const each: unique symbol;

/** The key of a record, with the type of its content. */
export type Key<T> = string & { readonly [content]: T };
/** What the keys of records of one type begin with. */
export type Prefix<T> = string & { readonly [each]: T };

type Discovery = Awaited<ReturnType<DeviceClient["connection"]["discover"]>>;

/** Where a device is that was at an address before, and which one it is. */
interface Move {
  to: string;
  by: string;
  at: number;
}

/** `<group>` */
export const groupPrefix = "group/" as Prefix<StoredMembership>;
/** `<group>`: the MLS library's state of the present epoch */
export const statePrefix = "state/" as Prefix<Uint8Array>;
/** `<group>/<epoch>`: the same of a past epoch */
export const pastPrefix = "past/" as Prefix<Uint8Array>;
/** `<group>`: what is kept of an ended membership's state */
export const outlinePrefix = "outline/" as Prefix<Uint8Array>;
/** `<group>`: the commit that is being made */
export const pendingPrefix = "pending/" as Prefix<PendingCommit>;
/** `<group>/<number>` */
export const changePrefix = "change/" as Prefix<Change>;
/** `<group>/<epoch>` */
export const logPrefix = "log/" as Prefix<LoggedCommit>;
/** `<group>/<epoch>` */
export const disputePrefix = "dispute/" as Prefix<Dispute>;
/** `<group>/<device>`: a request to join */
export const requestPrefix = "request/" as Prefix<StoredRequest>;
/** `<group>`: how much is stored of a group that the user has not accepted */
export const unacceptedPrefix = "unaccepted/" as Prefix<{ messages: number; bytes: number }>;
/** `<user>`: a user whose requests are ignored */
export const deniedPrefix = "denied/" as Prefix<{ atMillis: number }>;
/** `<hash of an address>`: the user who is expected at it */
export const knownPrefix = "known/" as Prefix<{ user: string }>;
/** `<group>/<hash of an address>`: where a member has gone */
export const movedPrefix = "moved/" as Prefix<Move>;
/** `<number>` */
export const arrivingPrefix = "arriving/" as Prefix<Arriving>;
/** `<number>` */
export const welcomePrefix = "welcome/" as Prefix<WaitingWelcome>;
/** `<number>` */
export const waitingPrefix = "waiting/" as Prefix<Waiting>;
/** `<hash of a ciphertext>`: when it has come */
export const seenPrefix = "seen/" as Prefix<{ at: number }>;
/** `<group>/<number>` */
export const messagePrefix = "message/" as Prefix<Message>;
/** `<group>/<id>`: the number of a message */
export const indexPrefix = "index/" as Prefix<{ seq: number } & Reportable>;
/** `<group>/<id>/<number>` */
export const effectsPrefix = "effect/" as Prefix<StoredEffect>;
/** `<group>/<user>`: how many effects a user has caused; `<group>/readmit-<user>`: how often their devices were added again */
export const countsPrefix = "effects-of/" as Prefix<{ at: number; count: number }>;
/** `<time>/<group>/<number>`: when a message disappears, store/disappearing-times.ts */
export const endPrefix = "end/" as Prefix<EndOf>;
/** `<group>/<span of numbers>`: the words of its messages, search/search.ts */
export const searchPrefix = "search/" as Prefix<{ words: string }>;
/** `<group>`: a group that is being forgotten, store/forgetting.ts */
export const forgettingPrefix = "forgetting/" as Prefix<object>;
/** `<group>` */
export const receiptsPrefix = "receipt/" as Prefix<Required<Told>>;
/** `<group>/<id>` */
export const deliveryPrefix = "delivery/" as Prefix<StoredDelivery>;
/** `<number>` */
export const outPrefix = "out/" as Prefix<OutboxItem>;
/** `<group>` */
export const chatPrefix = "chat/" as Prefix<Chat>;
/** `<number>` */
export const eventPrefix = "event/" as Prefix<KeptEvent>;
/** `<group>/<id>` */
export const sentFilePrefix = "blob/" as Prefix<SentFile>;
/** `<group>/<id>` */
export const unwantedFilePrefix = "unwanted/" as Prefix<SentFile>;
/** `<group>/<id>` */
export const keptFilePrefix = "kept/" as Prefix<KeptFile>;
/** `<group>/<id>/<part>`: bytes of a kept file */
export const filePartPrefix = "part/" as Prefix<Uint8Array>;
/** `<group>` */
export const localPrefix = "local/" as Prefix<Entries>;
/** `<group>`: names of entries that the user's other devices are still to be told */
export const untoldPrefix = "untold/" as Prefix<{ names: string[] }>;
/** `<user>`: what a user tells of themself */
export const profilePrefix = "profile/" as Prefix<StoredProfile>;
/** `<group>`: from when on its members are still to be told this user's profile */
export const owedPrefix = "owed/" as Prefix<{ atMillis: number }>;
/** `<group or user>/<hash>`: a picture */
export const picturePrefix = "picture/" as Prefix<Uint8Array>;
/** `<number>` */
export const linkPrefix = "link/" as Prefix<Link>;
/** `<number>`: a linked device that is still to get the past */
export const historyPrefix = "history/" as Prefix<{ link: string; reference?: unknown; at?: number }>;
/** `<group>`: a group of the user to which this device comes back from a backup */
export const lostPrefix = "lost/" as Prefix<Lost>;
/** `<number>` */
export const packagePrefix = "package/" as Prefix<StoredPackage>;
/** `<number>`: an address that this device had before */
export const oldAddressPrefix = "old-address/" as Prefix<{ address: string; endsAtMillis: number }>;
/** `<user>`: all keys of a user, once the first was replaced, and the group that has shown the first successor */
export const userKeysPrefix = "user-keys/" as Prefix<{ keys: readonly string[]; group: string }>;
/** `<user>`: a user whose safety number was compared */
export const verifiedPrefix = "verified/" as Prefix<object>;

// Of which there is one:

/** The keys of the pictures that are kept, the oldest first */
export const picturesKey = "pictures" as Key<{ keys: string[] }>;
/** Up to which number this device has reserved, store/ledger.ts */
export const sequenceKey = "sequence" as Key<{ bound: number }>;
/** How long an address lives, devices/own-address.ts */
export const lifetimeKey = "lifetime" as Key<{ seconds: number }>;
/** What has been uploaded of key packages, devices/key-packages.ts */
export const uploadedKey = "uploaded" as Key<Uploaded>;
/** Key packages that were made, and not taken by the relay yet. New ones for each attempt would push out the keys of those that it has. */
export const unsentKeys = {
  fill: "unsent" as Key<{ keys: string[] }>,
  replace: "unsent/replace" as Key<{ keys: string[] }>,
  renew: "unsent/renew" as Key<{ keys: string[] }>,
} as const;
/** The identity of this device, stored when the device is created */
export const accountKey = "account" as Key<Account>;
/** A device at its relay that waits to be linked, and has no account yet */
export const unlinkedKey = "unlinked" as Key<Unlinked>;
/** The session of the client */
export const sessionKey = "session" as Key<Session>;
/** The last one that opening a push has begun: written without the lock, and by nothing else */
export const pushSessionKey = "session/push" as Key<Session>;
/** The last answer of /.well-known/svc */
export const discoveryKey = "discovery" as Key<Discovery>;
/** Set while a linked device asks for what the other one has */
export const askKey = "ask" as Key<object>;
/** The key of the user with which this device has asked last to be added again to the groups that it was removed from for want of it */
export const askedKey = "asked" as Key<{ userKey: string }>;

const digits = 12;

/** The key of one record. */
export function keyOf<T>(prefix: Prefix<T>, rest: string): Key<T> {
  return (prefix + rest) as Key<T>;
}

/** Keys in the order of their numbers. */
export function numbered<T>(prefix: Prefix<T>, number: number): Key<T> {
  return keyOf(prefix, String(number).padStart(digits, "0"));
}

/** What the keys of a group's records begin with. */
export function inGroup<T>(prefix: Prefix<T>, group: string): Prefix<T> {
  return `${prefix}${group}/` as Prefix<T>;
}

/** What a key has behind the prefix. */
export function restOf(key: string, prefix: string): string {
  return key.slice(prefix.length);
}

const safeId = /^[\w-]{1,100}$/;

/** Senders choose the ids of messages, of any characters. */
export function idKey(id: string): string {
  return safeId.test(id) ? id : `=${encodeHex(sha256(utf8(id)))}`;
}

export function logKey(group: string, epoch: number): Key<LoggedCommit> {
  return numbered(inGroup(logPrefix, group), epoch);
}

export function disputeKey(group: string, epoch: number): Key<Dispute> {
  return numbered(inGroup(disputePrefix, group), epoch);
}

/** Where a member of a group has gone that had this address. Addresses may be longer than keys. */
export function movedKey(group: string, address: string): Key<Move> {
  return keyOf(inGroup(movedPrefix, group), encodeHex(sha256(utf8(address))));
}
