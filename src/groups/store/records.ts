// The content of each record in a device's store. record-keys.ts says which record has which.

import type {
  BlobReference,
  EpochKeys,
  ErrorName,
  RejoinReason,
  SealedMessage,
  SlotReceipt,
  SvcMessage,
} from "../../client/index.js";
import type { Body } from "../encoding/content.js";
import type { StoredPicture } from "../encoding/picture-format.js";
import type { Joiner } from "../mls/changes.js";
import type { Statement } from "../mls/dispute-statements.js";
import type { Member } from "../mls/members.js";
import type { OwnKeyPackage } from "../mls/mls.js";
import type { Successor } from "../mls/user-keys.js";
import type { UndeliveredReason } from "./events.js";

export type MembershipState = "active" | "removed" | "left" | "mustRejoin";

/** `unknown`: the group is a request, until `accept` or `decline`. */
export type Consent = "unknown" | "allowed" | "denied";

/** An epoch whose messages this device can open. */
export interface Epoch {
  epoch: number;
  keys: EpochKeys;
  enteredAtMillis: number;
  /** Of its state. */
  bytes: number;
}

/** `door` is missing of epochs that this device has only followed. */
export type Log = { epoch: number; bytes: number; door?: Uint8Array }[];

export interface StoredMembership {
  state: MembershipState;
  /** Why it is `mustRejoin`. */
  reason?: RejoinReason;
  /** When this device was removed, or has left. */
  endedAtMillis?: number;
  /** Missing once it is allowed. */
  consent?: Exclude<Consent, "allowed">;
  /** Who has added this device. */
  invitedBy?: Member;
  /** Kept after the membership has ended. */
  name: string;
  /** The newest first: the present one, as long as this device is a member. */
  epochs: Epoch[];
  /** Of the last epoch that this device has entered. */
  door?: Uint8Array;
  /** The commits that are kept of the epochs before it, the oldest first. */
  log?: Log;
  /** The slots of the last epoch's attempts, as far as they were read. */
  slots?: readonly string[];
  /** After the membership has ended: of the outline that is kept. */
  outlineEpoch?: number;
  /** The user who removed this device. */
  removedBy?: Member;
  /** A Welcome was refused, and the application told. */
  hasRefused?: true;
}

/** A commit as members keep it. */
export interface LoggedCommit {
  epoch: number;
  /** The slot's content: the commit in an envelope of its epoch. */
  content: Uint8Array;
  receipt: SlotReceipt;
  attempt: number;
  /** An MLSMessage with a PublicMessage. */
  commit: Uint8Array;
  /** The devices that it has removed. */
  removed: string[];
}

export interface Dispute {
  /** The last one of each member about each commit. */
  statements: Statement[];
  /** The content of the slot that this device cannot use. */
  content?: Uint8Array;
  /** What another member has sealed for this one, so that it can. */
  repair?: { commit: string; sealed: Uint8Array };
  /** Leaves for which this device has sealed a path secret. */
  repaired?: number[];
}

/** A request to join that waits for approval. */
export interface StoredRequest {
  invitation: string;
  joiner: Joiner;
  name: string;
  user: string;
  address: string;
  wasRemoved: boolean;
  /** When it has come, in seconds since 1970. */
  at: number;
}

/** A Welcome whose GroupInfo is still to be fetched. */
export interface Arriving {
  reference: BlobReference;
  sealed: Uint8Array;
}

/** A Welcome to a group that this device has not followed to its end yet: it would leave texts behind. */
export interface WaitingWelcome {
  group: string;
  sealed: Uint8Array;
  /** Present if it came as a blob. */
  groupInfo?: Uint8Array;
}

export interface Waiting {
  hash: string;
  /** Missing of messages that an older version has kept. */
  messageId?: string;
  ciphertext: Uint8Array;
  receivedAtSeconds: number;
}

/** A message that changes another one. */
type Effect = Extract<SvcMessage, { type: "reaction" | "edit" | "receipt" }>;

export type Author = Omit<Member, "isMe"> & { isMe: boolean };

export interface StoredEffect {
  effect: Effect;
  by: Author;
  /** When it has come, in seconds since 1970. */
  at: number;
}

/** What a report of a message needs: the id by which it has come, and the handle to which that commits. */
export interface Reportable {
  messageId?: string;
  handle?: Uint8Array;
}

export interface EndOf {
  group: string;
  seq: number;
  atMillis: number;
}

/** Ids of messages. */
export interface Told {
  delivered?: string[];
  read?: string[];
}

export interface StoredDelivery {
  isWaiting: boolean;
  /** Why and until when, if it is to be told. */
  delay?: { error: ErrorName; retryAtMillis: number };
  undelivered: { address: string; error: UndeliveredReason }[];
}

/** Messages to send and to repeat until each recipient's relay has answered. */
export interface OutboxItem {
  group: string;
  /** The id of the message that this is. */
  message?: string;
  /** One for each recipient, each sealed differently. Accepted copies are removed. */
  copies: SealedMessage[];
  createdAtMillis: number;
  /** Whether nobody has to know that it waits. */
  isQuiet?: boolean;
  /** Its content, if this device had long been offline when it was sealed: the others may no longer have the keys of that epoch. */
  body?: Body;
}

export interface Chat {
  last: number;
  read: number;
}

export interface SentFile {
  url: string;
  deleteToken: string;
  /** When it ends, in seconds since 1970. */
  at: number;
}

/** What a user tells of themself. */
export interface StoredProfile {
  name: string;
  picture?: StoredPicture;
  /** When the user has set it, in milliseconds since 1970. */
  at: number;
  /** The last day on which it has changed, in days since 1970, and how often. */
  day: number;
  changes: number;
  /** The group that has shown it first. */
  group?: string;
}

export interface KeptFile {
  size: number;
  parts: number;
  at: number;
}

export interface Entry {
  /** Missing if it was removed. */
  value?: unknown;
  at: number;
  /** When another device has told it; missing if it was set on this one. */
  toldAtMillis?: number | undefined;
}

export type Entries = Record<string, Entry>;

/** What seals the messages between the two devices. */
export interface Link {
  secret: Uint8Array;
  /** The other device: where it receives, unless a group knows better. */
  address: string;
  /** Its id; missing until it has told. */
  device?: string;
  /** Whether this device has asked it for what was written before, and not got it yet. */
  isAsked?: true | undefined;
}

export interface StoredPackage extends OwnKeyPackage {
  cipherSuite: number;
  /** The relay gives it out when no other is left, to several groups. */
  isLastResort?: true;
  /** Of one of last resort. */
  madeAtMillis?: number;
  /** What members were asked for with it. */
  asked?: Asked;
  /** Whether it has been in a request to be added. */
  isForRequest?: true;
}

/** A group that this device has asked to be added to. */
export interface Asked {
  group: string;
  name: string;
  isRefused?: true;
}

/** What the relay has. */
export interface Uploaded {
  /** When that of last resort was uploaded. */
  atMillis?: number;
  /** All of it has to be replaced: this device has another address, or its user another key. */
  isOutdated?: true;
}

/** The identity of this device, stored when the device is created. */
export interface Account {
  relay: string;
  domain: string;
  name: string;
  /** The device's Ed25519 secret key at its relay. */
  deviceSecret: Uint8Array;
  /** The user's last Ed25519 secret key, which all devices of the user have. */
  userSecret: Uint8Array;
  /** The public half of the first one, in hex. */
  user: string;
  /** The public halves of those that have followed it. */
  successors?: readonly Successor[];
  /** The key pair of this device's leaves, in the form of the MLS library. */
  signer: Uint8Array;
  /** Where this device receives; missing until it is registered. */
  address?: string;
  /** Missing if the user has made no recovery key. */
  recovery?: Recovery | undefined;
}

/** What the devices of a user keep of the recovery key. Its private half is with the user alone. */
export interface Recovery {
  /** An Ed25519 key, in hex. */
  publicKey: string;
  /** What backups are encrypted with: 32 bytes, in hex. */
  fileKey: string;
}

/** A group that the user was in when the backup was made of which this device was restored. */
export interface Lost {
  name: string;
  door: Uint8Array;
  /** The other members, wherever they were. */
  to: string[];
  /** Nobody but the user was in it. */
  isAlone: boolean;
  /** The signature by the recovery key. */
  replaces: Uint8Array;
  sinceMillis: number;
  askedAtMillis: number;
  /** The group that was founded in its place. */
  successor?: string;
}

/** A device at its relay that waits to be linked, and has no account yet. */
export interface Unlinked {
  relay: string;
  deviceSecret: Uint8Array;
}
