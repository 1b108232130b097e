// What is stored of this device's membership in one group.

import type { EpochKeys, RejoinReason } from "../../client/index.js";
import type { Member } from "../mls/members.js";

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
