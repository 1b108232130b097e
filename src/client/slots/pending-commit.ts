// The commit of this member that is saved before its slot is asked, so that a crash can neither lose it nor send another one. It goes through
// three stages: saved without a receipt, saved with its receipt once it has won, and cleared once it is announced, or has lost.

import type { SlotReceipt } from "./slot-receipts.js";

/** A commit that a member has made and not applied. */
export interface MadeCommit {
  /** The commit in the form that every member evaluates: its PublicMessages in an envelope (`sealEnvelope`). At most 1 MiB. */
  content: Uint8Array;
  /** What this member needs to apply it and to tell others: its state after the commit, and Welcomes. Never sent. */
  state: Uint8Array;
  /** It replaces a disputed commit. */
  isReplacement?: true;
}

/** A commit that is kept until it is decided, applied and announced. */
export interface PendingCommit extends MadeCommit {
  /** The slot that it was sent for, the slot's attempt, and the slot of the epoch's first attempt. */
  slot: string;
  attempt: number;
  first: string;
  /** Present once it has won. */
  receipt?: SlotReceipt;
}

/** Keeps the pending commit of one group. What is saved must survive a crash as soon as the promise is fulfilled. */
export interface PendingCommitStore {
  load(): Promise<PendingCommit | undefined>;
  /** Replaces what was saved before. */
  save(pending: PendingCommit): Promise<void>;
  clear(): Promise<void>;
}

/** The commit that counts for the member's present epoch. */
export interface DecidedCommit {
  content: Uint8Array;
  receipt: SlotReceipt;
  attempt: number;
  /** The state of a commit of this member, as it was made; undefined for commits of others. */
  state: Uint8Array | undefined;
}
