// The keys of all records in a device's store, with the form of the rest of each key and what is stored there. Stores outlive versions of
// this library: a key never changes, and of a record nothing that an older version has written becomes unreadable.

import { sha256 } from "@noble/hashes/sha2.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";

/** `<group>`: StoredMembership, membership/stored-membership.ts */
export const groupPrefix = "group/";
/** `<group>`: the MLS library's state of the present epoch */
export const statePrefix = "state/";
/** `<group>/<epoch>`: the same of a past epoch */
export const pastPrefix = "past/";
/** `<group>`: what is kept of an ended membership's state */
export const outlinePrefix = "outline/";
/** `<group>`: the commit that is being made, client/slots/commit-slots.ts */
export const pendingPrefix = "pending/";
/** `<group>/<number>`: Change, mls/changes.ts */
export const changePrefix = "change/";
/** `<group>/<epoch>`: LoggedCommit, membership/continuity.ts */
export const logPrefix = "log/";
/** `<group>/<epoch>`: Dispute, membership/dispute-statements.ts */
export const disputePrefix = "dispute/";
/** `<group>/<device>`: a request to join, membership/invitations.ts */
export const requestPrefix = "request/";
/** `<group>`: how much is stored of a group that the user has not accepted */
export const unacceptedPrefix = "unaccepted/";
/** `<user>`: a user whose requests are ignored */
export const deniedPrefix = "denied/";
/** `<hash of an address>`: the user who is expected at it, membership/commits.ts */
export const knownPrefix = "known/";
/** `<group>/<hash of an address>`: where a member has gone */
export const movedPrefix = "moved/";
/** `<number>`: Arriving, membership/group-info-download.ts */
export const arrivingPrefix = "arriving/";
/** `<number>`: WaitingWelcome, inbox.ts */
export const welcomePrefix = "welcome/";
/** `<number>`: Waiting, inbox.ts */
export const waitingPrefix = "waiting/";
/** `<hash of a ciphertext>`: when it has come */
export const seenPrefix = "seen/";
/** `<group>/<number>`: Message, store/events.ts */
export const messagePrefix = "message/";
/** `<group>/<id>`: the number of a message */
export const indexPrefix = "index/";
/** `<group>/<id>/<number>`: StoredEffect, store/messages.ts */
export const effectsPrefix = "effect/";
/** `<group>/<user>`: how many effects a user has caused */
export const countsPrefix = "effects-of/";
/** `<time>/<group>/<number>`: when a message disappears, store/ends.ts */
export const endPrefix = "end/";
/** `<group>/<span of numbers>`: the words of its messages, search/search.ts */
export const searchPrefix = "search/";
/** `<group>`: a group that is being forgotten, store/forgetting.ts */
export const forgettingPrefix = "forgetting/";
/** `<group>`: Told, store/waiting-receipts.ts */
export const receiptsPrefix = "receipt/";
/** `<group>/<id>`: StoredDelivery, store/deliveries.ts */
export const deliveryPrefix = "delivery/";
/** `<number>`: OutboxItem, sending/outbox.ts */
export const outPrefix = "out/";
/** `<group>`: Chat, store/chats.ts */
export const chatPrefix = "chat/";
/** `<number>`: GroupEvent, store/events.ts */
export const eventPrefix = "event/";
/** `<group>/<id>`: SentFile, sending/files.ts */
export const sentFilePrefix = "blob/";
/** `<group>/<id>`: SentFile of a deleted message */
export const unwantedFilePrefix = "unwanted/";
/** `<group>/<id>`: KeptFile, store/kept-files.ts */
export const keptFilePrefix = "kept/";
/** `<group>/<id>/<part>`: bytes of a kept file */
export const filePartPrefix = "part/";
/** `<group>`: Entries, devices/local-state.ts */
export const localPrefix = "local/";
/** `<group>`: names of entries that the user's other devices are still to be told */
export const untoldPrefix = "untold/";
/** `<number>`: Link, devices/devices.ts */
export const linkPrefix = "link/";
/** `<number>`: a linked device that is still to get the past */
export const historyPrefix = "history/";
/** `<number>`: StoredPackage, devices/key-packages.ts */
export const packagePrefix = "package/";
/** `<number>`: an address that this device had before */
export const oldAddressPrefix = "old-address/";
/** `<user>`: a user whose safety number was compared */
export const verifiedPrefix = "verified/";

// Of which there is one:

/** Up to which number this device has reserved, store/ledger.ts */
export const sequenceKey = "sequence";
/** How long an address lives, devices/addresses.ts */
export const lifetimeKey = "lifetime";
/** What has been uploaded of key packages, devices/key-packages.ts */
export const uploadedKey = "uploaded";
/** Account, groups.ts */
export const accountKey = "account";
/** The session of the client */
export const sessionKey = "session";
/** The last answer of /.well-known/svc */
export const discoveryKey = "discovery";
/** Set while a linked device asks for what the other one has */
export const askKey = "ask";

const digits = 12;

/** Keys in the order of their numbers. */
export function numbered(prefix: string, number: number): string {
  return prefix + String(number).padStart(digits, "0");
}

const safeId = /^[\w-]{1,100}$/;

/** Senders choose the ids of messages, of any characters. */
export function idKey(id: string): string {
  return safeId.test(id) ? id : `=${encodeHex(sha256(utf8(id)))}`;
}

/** Where a member of a group has gone that had this address. Addresses may be longer than keys. */
export function movedKey(group: string, address: string): string {
  return `${movedPrefix}${group}/${encodeHex(sha256(utf8(address)))}`;
}
