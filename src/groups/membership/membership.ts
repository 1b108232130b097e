// This device's membership in one group. All changes of it are made here, each in one transaction of the ledger.
//
//   active ── own removal by a commit ──▶ removed ─┐
//     │  └─── slots that cannot be followed ─▶ mustRejoin ─┤ a Welcome of a later epoch ─▶ active
//     └────── leave ────────────────────────▶ left ────────┘
//
// Of the present epoch and of some past ones, the state is stored under a key of its own: a text changes the state of its epoch only.

import {
  type BlobReference,
  type CommitValidity,
  type DecidedCommit,
  type EpochKeys,
  epochKeysOf,
  openEnvelope,
  type RejoinReason,
  type SealedMessage,
  type SvcMessage,
  sealMessages,
  sealWelcomeMessage,
} from "../../client/index.js";
import { encodeHex, equalBytes } from "../../protocol/encodings.js";
import { type Body, type CommitNews, encodeBody, encodeContent, readBody, readContent } from "../encoding/content.js";
import { shownName } from "../encoding/names.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { type Change, countingOf, type Joiner } from "../mls/changes.js";
import {
  canBeSettled,
  type Grounds,
  isMajority,
  mayReplace,
  readSlotContent,
  type SlotContent,
  type Statement,
  signClaim,
} from "../mls/disputes.js";
import {
  disappearSecondsIn,
  type GroupContext,
  groupContextType,
  maxGroupNameLength,
  readGroupContext,
} from "../mls/group-context.js";
import { joinerOf } from "../mls/joiners.js";
import { isAtRelay, isSignedBy, type Member, memberOf, membersOf, replacementOf } from "../mls/members.js";
import type { GroupView, Leaf, ProcessedCommit, SignedCommit } from "../mls/mls.js";
import {
  canBeRemoved,
  isAllowed,
  may,
  NotPermittedError,
  type Permission,
  permissionsType,
  rolesOf,
} from "../mls/permissions.js";
import type { Core } from "../sending/core.js";
import type { Outbox } from "../sending/outbox.js";
import { type Notice, readNotice, signNotice } from "../sending/passing.js";
import type { Reception } from "../sending/reception.js";
import { noteChat } from "../store/chats.js";
import { noteWaiting } from "../store/deliveries.js";
import type { GroupEvent, Message } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { affectMessages, keepMessage, lastMillisOf, noteRead } from "../store/messages.js";
import {
  changePrefix,
  disputePrefix,
  groupPrefix,
  logPrefix,
  movedKey,
  numbered,
  outlinePrefix,
  pastPrefix,
  pendingPrefix,
  receiptsPrefix,
  requestPrefix,
  seenPrefix,
  statePrefix,
  unacceptedPrefix,
} from "../store/record-keys.js";
import { takeReceipts } from "../store/told.js";
import { isWinner, type LoggedCommit, logKey, maxLogged, maxLoggedBytes, type Proof, proofOf } from "./continuity.js";
import {
  complaintsOf,
  type Dispute,
  disputeKey,
  encodeSent,
  groundsOf,
  hashOf,
  noteStatement,
  readDispute,
  readSent,
  repairDelay,
  statementOf,
} from "./disputes.js";
import { type Ask, doorKeysOf, doorOf, invitedText, type JoinRequest, readRequest } from "./door.js";
import { type Welcomes, writeJoinerWelcome, writeRefusal } from "./welcomes.js";

export type MembershipState = "active" | "removed" | "left" | "mustRejoin";

/** An epoch whose messages this device can open. */
interface Epoch {
  epoch: number;
  keys: EpochKeys;
  enteredAtMillis: number;
  /** Of its state. */
  bytes: number;
}

/** `door` is missing of epochs that this device has only followed. */
type Log = { epoch: number; bytes: number; door?: Uint8Array }[];

/** `unknown`: the group is a request, until `accept` or `decline`. */
export type Consent = "unknown" | "allowed" | "denied";

interface StoredMembership {
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

/** What this device needs to apply a commit of its own, and to tell others. Stored with the pending commit. */
export interface OwnCommit {
  next: Uint8Array;
  welcomes?: Welcomes;
  /** Of those who join, in the order of the Welcomes. */
  joiners: Omit<Joiner, "keyPackage">[];
  /** The key of the change that it carries out. */
  change?: string;
}

/** An epoch that this device has the state of. */
interface At {
  epoch: number;
  state: unknown;
  view: GroupView;
  keys: EpochKeys;
}

interface Evaluated {
  content: Uint8Array;
  state: unknown;
  repair: Uint8Array | undefined;
  result: ProcessedCommit<unknown>;
  committer: number;
}

interface Announced {
  own: OwnCommit;
  decided: DecidedCommit;
  keys: EpochKeys;
  groupInfo: BlobReference | undefined;
  logged: LoggedCommit;
}

/** An envelope that keys of this group open. */
export interface Opened {
  content: Uint8Array;
  epoch: number;
}

interface OpenedRequest {
  request: JoinRequest;
  invitation?: string;
  since?: number;
}

type Judge = (change: Change) => boolean;

type Requester = NonNullable<Awaited<ReturnType<typeof joinerOf>>>;

/** A message from the queue, as far as it matters here. */
interface Received {
  hash: string;
  receivedAtSeconds: number;
  /** The key under which it has waited. */
  waiting?: string;
}

/** The state of a membership, and its dependencies. */
export interface MembershipParts {
  core: Core;
  outbox: Outbox;
  reception: Reception;
  /** By their groups' ids. */
  memberships: Map<string, Membership>;
}

/** What a step of a membership leaves to the loop of the group's commits, once its transaction is committed. */
export type FollowUp =
  /** News of a commit that may be the next one. */
  | { kind: "hear"; group: string; news: CommitNews }
  /** There may be a change to carry out. */
  | { kind: "change"; group: string }
  /** Something waits for commits of the group that this device has not followed. */
  | { kind: "follow"; group: string }
  /** The commit that has ended a past epoch may have been replaced. */
  | { kind: "review"; group: string; epoch: number }
  /** Something waits for an epoch of any group. */
  | { kind: "waiting" };

/** A text may be on its way for that long: its sender's relay may have been away while others were added one by one. */
const maxPastEpochs = 1_000;
/** Of one group. */
const maxPastBytes = 16 * 1024 * 1024;
/** Of the newest epochs, in a large group. */
const minPastEpochs = 64;
const maxLargePastBytes = 32 * 1024 * 1024;
const maxPastMillis = 7 * 86_400_000;
/** Of one group, that wait for their commits. Half of them may be caused by others. */
const maxChanges = 1_000;
/** Of them, those by one invitation. */
const maxAdmits = 100;
/** After a user leaves, others remove them within this many epochs. */
const epochsUntilRemoved = 16;
/** Of a commit that was followed without its slot. */
const unseen = { content: new Uint8Array(), receipt: {} as LoggedCommit["receipt"], attempt: 0 };
/** Past epochs whose commits are looked at again after connecting. */
const maxReviewed = 16;
/** People who have asked to be added by one invitation, and wait for approval. */
const maxRequests = 50;
/** Of a group that the user has not accepted, so much is stored. Later messages are ignored. */
const maxUnacceptedMessages = 100;
const maxUnacceptedBytes = 256 * 1024;
/** The member with the lowest leaf acts for all; others do it if that has not happened after this. */
const standInMillis = 5_000;

export class Membership {
  readonly id: string;
  readonly #core: Core;
  readonly #parts: MembershipParts;
  #stored: StoredMembership;
  #mlsState: unknown;
  #view: GroupView | undefined;
  /** Hashes of content that replaces the commit before it. */
  #replacements = new Set<string>();
  /** Of the present epoch. */
  #dispute: Dispute = { statements: [] };
  #evaluated: Evaluated | undefined;
  /** The past epoch that was looked at last. */
  #past: At | undefined;
  /** Leaves of members who type. */
  readonly #typing = new Set<number>();

  private constructor(parts: MembershipParts, id: string, stored: StoredMembership) {
    this.#core = parts.core;
    this.#parts = parts;
    this.id = id;
    this.#stored = stored;
  }

  static async load(parts: MembershipParts, id: string): Promise<Membership> {
    const { core } = parts;
    const stored = await core.ledger.read<StoredMembership>(`${groupPrefix}${id}`);
    if (stored === undefined) throw new Error(`there is no group ${id}`);
    const membership = new Membership(parts, id, stored);
    const saved = await core.ledger.store.get(`${statePrefix}${id}`);
    if (saved !== undefined) membership.#setState(await core.mls.load(saved));
    const dispute = await core.ledger.read<Dispute>(disputeKey(id, stored.epochs[0]?.epoch ?? 0));
    if (dispute !== undefined) membership.#dispute = dispute;
    parts.memberships.set(id, membership);
    return membership;
  }

  /** Enters a group by founding it or by a Welcome. `old` is the membership that it replaces. Commits the transaction. */
  static async enter(
    parts: MembershipParts,
    transaction: Transaction,
    {
      state,
      old,
      by,
      followed = [],
      consent = "allowed",
      invitedBy,
    }: {
      state: unknown;
      old?: Membership | undefined;
      by?: Member | undefined;
      followed?: readonly LoggedCommit[];
      consent?: Consent;
      invitedBy?: Member | undefined;
    },
  ): Promise<Membership> {
    const { core } = parts;
    const id = encodeHex(core.mls.view(state).groupId);
    const membership = old ?? new Membership(parts, id, { state: "active", name: "", epochs: [] });
    const { epochs } = membership.#stored;
    const log = membership.#logWith(transaction, followed);
    const invited = { ...(consent !== "allowed" && { consent }), ...(invitedBy && { invitedBy }) };
    const stored: StoredMembership = { state: "active", ...invited, name: "", epochs, log };
    transaction.remove(`${outlinePrefix}${id}`);
    if (membership.#view !== undefined) await membership.#keepPast(transaction);
    transaction.remove(`${pendingPrefix}${id}`);
    await membership.#moveTo(transaction, { stored, state });
    const view = core.mls.view(state);
    const name = groupNameIn(view);
    if (consent === "allowed") {
      membership.#renewAddress(transaction, view);
      transaction.event({ type: "joinedGroup", group: id, name, ...(by && { by }) });
    } else {
      const members = membersOf(view).length;
      transaction.event({ type: "invited", group: id, name, members, ...(invitedBy && { by: invitedBy }) });
    }
    await noteChat(transaction, id, { last: core.ledger.nextNumber() });
    transaction.afterwards(() => void parts.memberships.set(id, membership));
    await transaction.commit();
    return membership;
  }

  get state(): MembershipState {
    return this.#stored.state;
  }

  get rejoinReason(): RejoinReason | undefined {
    return this.state === "mustRejoin" ? this.#stored.reason : undefined;
  }

  get isActive(): boolean {
    return this.#stored.state === "active";
  }

  get consent(): Consent {
    return this.#stored.consent ?? "allowed";
  }

  get invitedBy(): Member | undefined {
    return this.#stored.invitedBy;
  }

  get isAccepted(): boolean {
    return this.consent === "allowed";
  }

  /** Whether this device takes part: it sends, and follows the commits. */
  get isFollowed(): boolean {
    return this.isActive && this.isAccepted;
  }

  /** The user takes part from now on. Commits the transaction. */
  async accept(transaction: Transaction): Promise<void> {
    if (this.isAccepted) return transaction.commit();
    const { consent: _, ...stored } = this.#stored;
    transaction.set(`${groupPrefix}${this.id}`, stored);
    transaction.remove(unacceptedPrefix + this.id);
    if (this.isActive) {
      this.#renewAddress(transaction, this.view);
      transaction.event({ type: "joinedGroup", group: this.id, name: this.name });
    }
    transaction.afterwards(() => {
      this.#stored = stored;
    });
    await transaction.commit();
  }

  /** Leaves, whatever the roles say: strangers could have made this device the last administrator. Commits the transaction. */
  async decline(transaction: Transaction): Promise<void> {
    if (this.isActive) {
      if (this.others().length > 0) await this.#seal(transaction, { operation: "leave" });
      await this.#end(transaction, { state: "left", outline: this.#core.mls.outline(this.#mlsState), isDenied: true });
    } else {
      const stored: StoredMembership = { ...this.#stored, consent: "denied" };
      transaction.set(`${groupPrefix}${this.id}`, stored);
      transaction.afterwards(() => {
        this.#stored = stored;
      });
    }
    await transaction.commit();
  }

  /** The key package with which this device was added may be older than its address. */
  #renewAddress(transaction: Transaction, view: GroupView): void {
    const { address } = this.#core.account;
    if (membersOf(view).find(({ isMe }) => isMe)?.address !== address) this.want(transaction, { kind: "address" });
  }

  get name(): string {
    return shownName(this.#stored.name, maxGroupNameLength);
  }

  get view(): GroupView {
    if (this.#view === undefined) throw new Error("this device is not in the group");
    return this.#view;
  }

  /** The MLS state. It is replaced, never changed. */
  get mlsState(): unknown {
    return this.#mlsState;
  }

  get context(): GroupContext {
    const context = readGroupContext(this.view.extension(groupContextType));
    if (context === undefined) throw new Error("the group's context is malformed");
    return context;
  }

  /** The request to the other members of a device that cannot follow the slots. */
  async askAgain(): Promise<Parameters<Ask>[0]> {
    const own = this.view.leaves.find(({ index }) => index === this.view.ownLeaf);
    const { door } = this.#stored;
    if (own === undefined || door === undefined) throw new Error("this device is not in the group");
    return { group: this.id, to: this.recipients(), by: { door, replaces: replacementOf(this.view, own) } };
  }

  /**
   * Whether a state that a Welcome leads to goes on from what this device knows of the group, and who has added it. Undefined if that is not proved, or this
   * device has not seen yet that it is out of the group.
   */
  async continued(
    transaction: Transaction,
    state: unknown,
    proof: Proof | undefined,
  ): Promise<{ by?: Member; followed: LoggedCommit[] } | undefined> {
    if (this.isActive) return undefined;
    const { mls } = this.#core;
    const isLost = this.state === "mustRejoin";
    const outline = isLost ? mls.outline(this.#mlsState) : await transaction.get(`${outlinePrefix}${this.id}`);
    if (outline === undefined) return undefined;
    try {
      // An honest proof may begin earlier, with the commit that has removed this device.
      const known = this.knownEpoch;
      const first = known - (proof?.epoch ?? known);
      if (first < 0 || (isLost && (first > 0 || !(await this.#isWinner(proof))))) return undefined;
      const commits = proof?.commits.slice(first) ?? [];
      const followed: LoggedCommit[] = [];
      const judge = (view: GroupView, signed: SignedCommit) => {
        const leaves = signed.proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
        const removed = membersOf(view).flatMap(({ id, device }) => (leaves.includes(id) ? [device] : []));
        const commit = commits[followed.length] as Uint8Array;
        const { grounds } = contents[followed.length] as SlotContent;
        followed.push({ ...unseen, epoch: Number(view.epoch), commit, removed });
        return mayCount(view, signed, grounds);
      };
      const contents = commits.map(readSlotContent);
      const signedCommits = contents.map(({ commit }) => commit);
      const end = await mls.follow(outline, signedCommits, judge);
      if (!equalBytes(end.outline, mls.outline(state))) return undefined;
      const by = membersOf(mls.view(state)).find(({ id }) => id === end.committer) ?? this.#stored.removedBy;
      return { ...(by && { by }), followed };
    } catch (problem) {
      this.#core.problem(problem);
      return undefined;
    }
  }

  /** The last epoch of which this device knows what all members do. */
  get knownEpoch(): number {
    return this.#stored.outlineEpoch ?? this.#stored.epochs[0]?.epoch ?? 0;
  }

  async #isWinner(proof: Proof | undefined): Promise<boolean> {
    if (proof === undefined) return false;
    const [commit] = proof.commits;
    const opened = openEnvelope(this.keys, proof.first.content);
    const exporter = this.#core.mls.exporterOf(this.#mlsState);
    const isSame = commit !== undefined && opened !== undefined && equalBytes(opened, commit);
    return isSame && isWinner(proof.first, { relay: this.context.slots, exporter, slots: this.#stored.slots ?? [] });
  }

  /** A Welcome did not prove that it leads on. The application is told once. Commits the transaction. */
  async refuse(transaction: Transaction): Promise<void> {
    if (!this.#stored.hasRefused) {
      const stored: StoredMembership = { ...this.#stored, hasRefused: true };
      transaction.set(`${groupPrefix}${this.id}`, stored);
      transaction.event({ type: "welcomeRefused", group: this.id });
      transaction.afterwards(() => {
        this.#stored = stored;
      });
    }
    await transaction.commit();
  }

  get enteredAtMillis(): number {
    return this.#stored.epochs[0]?.enteredAtMillis ?? 0;
  }

  get keys(): EpochKeys {
    const [present] = this.#stored.epochs;
    if (present === undefined) throw new Error("this device is not in the group");
    return present.keys;
  }

  members(): readonly Member[] {
    return this.#view === undefined ? [] : membersOf(this.#view);
  }

  others(): readonly Member[] {
    return this.members().filter(({ isMe }) => !isMe);
  }

  /** Where the others receive. */
  recipients(): string[] {
    return this.others().flatMap(({ address }) => (address === "" ? [] : [address]));
  }

  /** Tries the keys of as many epochs as are given, the newest first. */
  open(envelope: Uint8Array, epochs = Number.POSITIVE_INFINITY): Opened | undefined {
    for (const { keys, epoch } of this.#stored.epochs.slice(0, epochs)) {
      const content = openEnvelope(keys, envelope);
      if (content !== undefined) return { content, epoch };
    }
    return undefined;
  }

  /** Opens a request to be added. It came by the door of the epoch `since`, or by an invitation. */
  async openRequest(envelope: Uint8Array): Promise<OpenedRequest | undefined> {
    if (!this.isFollowed) return undefined;
    const { door, log = [] } = this.#stored;
    const known = log.flatMap(({ epoch, door: one }) => (one === undefined ? [] : [{ epoch, door: one }]));
    const doors = [...(door ? [{ door, epoch: Number(this.view.epoch) }] : []), ...known];
    const invitations = this.context.invitations.map(({ id, key }) => ({ secret: key, invitation: id }));
    for (const { secret, ...by } of [...doors.map((one) => ({ secret: one.door, since: one.epoch })), ...invitations]) {
      const content = openEnvelope(await doorKeysOf(secret), envelope);
      const request = content && readRequest(content);
      if (request === undefined) continue;
      const text = "invitation" in by && invitedText({ group: this.id, ...by }, request.keyPackage);
      const { signature = "" } = request;
      return !text || isSignedBy(encodeHex(secret), { text, signature }) ? { request, ...by } : undefined;
    }
    return undefined;
  }

  /** Adds, or asks the application whether to add, whoever has sent a request. Commits the transaction. */
  async handleRequest(
    transaction: Transaction,
    { request, invitation, since }: OpenedRequest,
    { hash, receivedAtSeconds }: Received,
  ): Promise<FollowUp[]> {
    transaction.set(`${seenPrefix}${hash}`, { at: receivedAtSeconds });
    const joiner = await joinerOf(this.#core.mls, request.keyPackage);
    if (joiner !== undefined && since !== undefined) await this.#readmit(transaction, joiner, since);
    if (joiner !== undefined && invitation !== undefined)
      await this.#admit(transaction, { joiner, invitation, epoch: request.epoch });
    await transaction.commit();
    return [{ kind: "change", group: this.id }];
  }

  /** Only a device that is in the group now can ask by its door, and only for itself. */
  async #readmit(
    transaction: Transaction,
    { added, user, signatureKey, replaces }: Requester,
    since: number,
  ): Promise<void> {
    const isOf = (leaf: Leaf) => {
      const { isSigned, isMe, device, user: of } = memberOf(leaf, this.view);
      const isSame = isSigned && !isMe && device === added.device && of === user;
      return isSame && equalBytes(leaf.signatureKey, signatureKey);
    };
    const isHere =
      replaces !== undefined && equalBytes(replaces.subarray(0, this.view.groupId.length), this.view.groupId);
    if (!isHere || !this.view.leaves.some(isOf)) return;
    const notBeforeMillis = this.#isFirst() ? 0 : this.#core.nowMillis() + standInMillis;
    const change: Change = { kind: "readmit", joiner: { ...added, sinceEpoch: since }, user, notBeforeMillis };
    const isSame = (one: Change) => one.kind === "readmit" && one.joiner.device === added.device;
    await this.#wantOnce(transaction, change, { isSame });
  }

  async #admit(
    transaction: Transaction,
    { joiner, invitation, epoch }: { joiner: Requester; invitation: string; epoch: number | undefined },
  ): Promise<void> {
    const { user, name, address } = joiner;
    const added: Joiner = { ...joiner.added, ...(epoch !== undefined && { sinceEpoch: epoch }) };
    const wasRemoved = this.context.banned.includes(user);
    if (!this.may("invite")) return;
    const notBeforeMillis = this.#isFirst("invite") ? 0 : this.#core.nowMillis() + standInMillis;
    const found = this.context.invitations.find((one) => one.id === invitation);
    if (found !== undefined && (found.needsApproval || wasRemoved)) {
      // A repeated request replaces the earlier one.
      const [prefix, request] = [`${requestPrefix}${this.id}/`, added.device];
      const earlier = await transaction.read<{ invitation: string }>(prefix + request);
      const count = await this.#requestsBy(transaction, invitation);
      if (earlier?.invitation !== invitation && count >= maxRequests) return;
      const asked = { name, user, address, wasRemoved };
      transaction.set(prefix + request, { ...asked, invitation, joiner: added, at: this.#nowSeconds() });
      transaction.event({ type: "joinRequest", group: this.id, request, ...asked });
    } else if (found !== undefined) {
      const change: Change = { kind: "admit", invitation, joiner: added, notBeforeMillis };
      const isSame = (one: Change) => one.kind === "admit" && !one.isApproved && one.joiner.device === added.device;
      const isByLink = (one: Change) => one.kind === "admit" && one.invitation === invitation;
      await this.#wantOnce(transaction, change, { isSame, isOfShare: isByLink });
    }
  }

  /** How many wait for approval. Those by invitations that have ended make way. */
  async #requestsBy(transaction: Transaction, invitation: string): Promise<number> {
    const counting = countingOf(this.context, this.#core.nowMillis()).map(({ id }) => id);
    let count = 0;
    for (const [key, value] of await transaction.list(`${requestPrefix}${this.id}/`)) {
      const { invitation: by } = decodeRecord<{ invitation: string }>(value);
      if (!counting.includes(by)) transaction.remove(key);
      else if (by === invitation) count += 1;
    }
    return count;
  }

  /** Stores a change that somebody else has caused, in place of an earlier one of theirs that this device's user has not asked for. Whoever causes many takes no room from others. */
  async #wantOnce(
    transaction: Transaction,
    change: Change,
    { isSame, isOfShare = () => false }: Record<"isSame", Judge> & Partial<Record<"isOfShare", Judge>>,
  ): Promise<void> {
    const stored = await transaction.list(`${changePrefix}${this.id}/`);
    const waiting = stored.map(([key, value]) => [key, decodeRecord<Change>(value)] as const);
    const [earlier] = waiting.find(([, one]) => isSame(one)) ?? [];
    if (earlier !== undefined) transaction.set(earlier, change);
    else if (waiting.length < maxChanges / 2 && waiting.filter(([, one]) => isOfShare(one)).length < maxAdmits)
      this.want(transaction, change);
  }

  /** Tells whoever has sent a request that it is refused. */
  async tellRefused(transaction: Transaction, { address, initKey }: Joiner): Promise<void> {
    const { mls, sealing, nowMillis } = this.#core;
    const recipient = { cipherSuite: mls.cipherSuite, initKey };
    const copies = [await sealWelcomeMessage({ to: address, recipient, welcome: writeRefusal() }, sealing)];
    this.#parts.outbox.post(transaction, { group: this.id, copies, isQuiet: true, createdAtMillis: nowMillis() });
  }

  /** Whether so many changes wait that no further one is stored, while the relay with the slots is away. */
  async isBusy(transaction: Transaction): Promise<boolean> {
    return (await transaction.list(`${changePrefix}${this.id}/`, maxChanges)).length >= maxChanges;
  }

  /** Stores a change: the loop of the group's commits carries it out once the transaction is committed. */
  want(transaction: Transaction, change: Change): string {
    return transaction.add(`${changePrefix}${this.id}/`, change).key;
  }

  /** Has this device's leaf get the address that it receives at, and tells the others before it has. Commits the transaction. */
  async moveAddress(transaction: Transaction): Promise<FollowUp[]> {
    const { address } = this.#core.account;
    if (!this.isFollowed || this.members().find(({ isMe }) => isMe)?.address === address) return [];
    const wanted = await this.#core.ledger.readAll<Change>(`${changePrefix}${this.id}/`);
    if (wanted.some(([, { kind }]) => kind === "address")) return [];
    this.want(transaction, { kind: "address" });
    await this.#seal(transaction, { operation: "address_rotation", address });
    await transaction.commit();
    return [{ kind: "change", group: this.id }];
  }

  /** Whether the roles allow something to this device, or to the member with this leaf. */
  may(permission: Permission, leaf = this.view.ownLeaf): boolean {
    return may(this.view, leaf, permission);
  }

  /** Whether this device is the one that acts first, where any member could whom the roles allow it: that with the lowest leaf, but for one. */
  #isFirst(permission?: Permission | undefined, except?: number): boolean {
    const mayAct = (id: number) => id !== except && (permission === undefined || this.may(permission, id));
    return this.others().every(({ id }) => id > this.view.ownLeaf || !mayAct(id));
  }

  /** Handles what was opened, in a transaction that others may follow in. */
  async receive(transaction: Transaction, opened: Opened, received: Received): Promise<FollowUp[]> {
    const content = readContent(opened.content);
    if (received.waiting !== undefined) transaction.remove(received.waiting);
    if (this.state === "left") return [];
    if (this.isActive && !this.isAccepted) {
      if (content?.kind !== "mls") return [];
      return this.#receiveUnaccepted(transaction, content.message, { epoch: opened.epoch, received });
    }
    if (content?.kind === "commit") {
      // If it is lost here, the slot has it.
      if (!this.isActive) return [];
      if (opened.epoch === Number(this.view.epoch)) return [{ kind: "hear", group: this.id, news: content.news }];
      const logged = await transaction.read<LoggedCommit>(logKey(this.id, opened.epoch));
      const isLater = logged !== undefined && content.news.attempt > logged.attempt;
      return isLater ? [{ kind: "review", group: this.id, epoch: opened.epoch }] : [];
    }
    if (content?.kind === "dispute") return this.#handleDispute(transaction, content.message, opened.epoch);
    if (content?.kind === "passing") {
      await this.#handleNotice(transaction, content.message, { ...opened, at: received.receivedAtSeconds });
      return [];
    }
    transaction.set(`${seenPrefix}${received.hash}`, { at: received.receivedAtSeconds });
    const read = content && (await this.#decrypt(transaction, content.message, opened.epoch));
    if (read === undefined) {
      transaction.event({ type: "unreadable", group: this.id, receivedAtSeconds: received.receivedAtSeconds });
    } else {
      const body = readBody(read.content);
      if (body !== undefined)
        return this.#handleBody(transaction, body, { ...read.sender, receivedAtSeconds: received.receivedAtSeconds });
    }
    return [];
  }

  /** Keeps messages of a group that the user has not accepted, as far as there is room. */
  async #receiveUnaccepted(
    transaction: Transaction,
    message: Uint8Array,
    { epoch, received: { hash, receivedAtSeconds } }: { epoch: number; received: Received },
  ): Promise<FollowUp[]> {
    const key = unacceptedPrefix + this.id;
    const kept = (await transaction.read<{ messages: number; bytes: number }>(key)) ?? { messages: 0, bytes: 0 };
    const next = { messages: kept.messages + 1, bytes: kept.bytes + message.length };
    if (next.messages > maxUnacceptedMessages || next.bytes > maxUnacceptedBytes) return [];
    transaction.set(key, next);
    transaction.set(`${seenPrefix}${hash}`, { at: receivedAtSeconds });
    const read = await this.#decrypt(transaction, message, epoch);
    const body = read && readBody(read.content);
    if (read === undefined || body === undefined) return [];
    const { member } = read.sender;
    const isUsers = member.isSigned && member.user === this.#core.account.user;
    // Another device of the user may leave for all of them.
    if ("operation" in body && (body.operation !== "leave" || !isUsers)) return [];
    return this.#handleBody(transaction, body, { ...read.sender, receivedAtSeconds });
  }

  /** Seals a message for the others, and commits the transaction. */
  async send(transaction: Transaction, body: Body): Promise<Message | undefined> {
    this.demandAccepted();
    if (!isFree(body) && !this.may("send")) throw new NotPermittedError("send");
    const message = await this.#seal(transaction, body);
    await transaction.commit();
    return message;
  }

  /** Seals a notice for members who are online. It changes nothing. */
  async sealNotice(notice: Notice): Promise<SealedMessage[]> {
    this.demandAccepted();
    const { account, device, sealing } = this.#core;
    const place = { group: this.id, epoch: Number(this.view.epoch) };
    const to = this.recipients();
    if (to.length === 0) return [];
    const message = signNotice(notice, { place, device: device.deviceId, userSecret: account.userSecret });
    const content = encodeContent({ kind: "passing", message });
    return sealMessages({ to, content, keys: this.keys, expiresInSeconds: 0 }, sealing);
  }

  async #handleNotice(
    transaction: Transaction,
    message: Uint8Array,
    { epoch, at }: { epoch: number; at: number },
  ): Promise<void> {
    if (!this.isActive) return;
    const { account, nowMillis } = this.#core;
    const place = { group: this.id, epoch };
    const read = readNotice(message, { place, members: this.others(), nowMillis: nowMillis() });
    if (read === undefined) return;
    const { member, notice } = read;
    if (notice.type === "receipt") await this.#keep(transaction, notice, { by: member, at });
    else if (member.user !== account.user) this.#showTyping(transaction, member, notice.is_typing);
  }

  #showTyping(transaction: Transaction, member: Member, isTyping: boolean): void {
    const { ledger } = this.#core;
    // A member who has sent a text is no longer typing it.
    if (!isTyping && !this.#typing.has(member.id)) return;
    transaction.afterwards(() => {
      if (isTyping) this.#typing.add(member.id);
      else this.#typing.delete(member.id);
      ledger.tell({ type: "typing", group: this.id, member, isTyping });
    });
  }

  /** Leaves at once, with all devices of the user; others remove them from the group later. */
  async leave(transaction: Transaction): Promise<void> {
    this.demandActive();
    if (!canBeRemoved(this.view, this.view.ownLeaf))
      throw new NotPermittedError("administrator", "the last administrator cannot leave: make another member one");
    if (this.others().length > 0) await this.#seal(transaction, { operation: "leave" });
    await this.#end(transaction, { state: "left", outline: this.#core.mls.outline(this.#mlsState) });
    await transaction.commit();
  }

  /** Nothing of this group is opened or changed by this device any more. What is stored of it goes in the same transaction. */
  forget(transaction: Transaction): void {
    if (this.isActive) throw new Error("leave the group before you forget it");
    transaction.afterwards(() => {
      this.#stored = { state: "left", name: "", epochs: [] };
      this.#mlsState = undefined;
      this.#view = undefined;
      this.#parts.memberships.delete(this.id);
    });
  }

  /** After how many seconds messages disappear that are sent now. */
  get disappearSeconds(): number | undefined {
    return this.#view && disappearSecondsOf(this.#view);
  }

  /** The slots of the group cannot be followed. */
  async lose(
    transaction: Transaction,
    { reason, slots }: Required<Pick<StoredMembership, "reason" | "slots">>,
  ): Promise<void> {
    if (!this.isActive) return;
    const stored: StoredMembership = { ...this.#stored, state: "mustRejoin", reason, slots };
    transaction.set(`${groupPrefix}${this.id}`, stored);
    transaction.event({ type: "mustRejoin", group: this.id, reason });
    transaction.afterwards(() => {
      this.#stored = stored;
    });
    await transaction.commit();
  }

  /** What the commit in a slot's content does to this member. A replacement is void, unless it comes after the commit that it replaces. */
  async #evaluate(content: Uint8Array): Promise<Evaluated> {
    const commit = hashOf(content);
    const state = this.#mlsState;
    const repair = this.#dispute.repair?.commit === commit ? this.#dispute.repair.sealed : undefined;
    const known = this.#evaluated;
    if (known?.content === content && known.state === state && known.repair === repair) return known;
    const found = contentIn(this.keys, content);
    const isInPlace = found?.grounds === undefined || this.#replacements.has(commit);
    const processed =
      found === undefined || !isInPlace
        ? { result: { kind: "void" as const }, committer: -1 }
        : await this.#process({ state, view: this.view }, found, repair);
    this.#evaluated = { content, state, repair, ...processed };
    return this.#evaluated;
  }

  async #process(
    { state, view }: Pick<At, "state" | "view">,
    { commit, grounds }: SlotContent,
    repair?: Uint8Array,
  ): Promise<Pick<Evaluated, "result" | "committer">> {
    let committer = -1;
    const judge = (signed: SignedCommit) => {
      ({ committer } = signed);
      return mayCount(view, signed, grounds);
    };
    const { mls } = this.#core;
    const result =
      repair === undefined || mls.processRepaired === undefined
        ? await mls.process(state, commit, judge)
        : await mls.processRepaired(state, { commit, isAllowed: judge, repair });
    return { result, committer };
  }

  async validityOf(content: Uint8Array): Promise<CommitValidity> {
    const { result, committer } = await this.#evaluate(content);
    if (result.kind !== "unusable") return result.kind;
    const { view } = this;
    return committer !== view.ownLeaf && canBeSettled(view, committer) ? "disputed" : "unusable";
  }

  async validityOfReplacement(content: Uint8Array, replaced: Uint8Array): Promise<CommitValidity> {
    if (contentIn(this.keys, content)?.grounds?.commit !== hashOf(replaced)) return "void";
    this.#replacements.add(hashOf(content));
    return this.validityOf(content);
  }

  /** Whether members have said that they cannot use a commit of this epoch. */
  get isDisputed(): boolean {
    return this.#dispute.statements.length > 0;
  }

  /**
   * Tells the others that this device cannot use the commit that counts. Returns the grounds for another one as soon as more than half of the users have
   * said so. Commits the transaction.
   */
  async complain(transaction: Transaction, content: Uint8Array): Promise<Grounds | undefined> {
    const { committer } = await this.#evaluate(content);
    const claim = { commit: hashOf(content), committer, isUsable: false };
    const at = this.#presentAt(transaction);
    const statement = signClaim(at.view, claim, this.#core.account.deviceSecret);
    const before = await readDispute(transaction, disputeKey(this.id, at.epoch));
    const noted = noteStatement(before, at.view, statement);
    if (noted !== undefined) {
      this.#keepDispute(transaction, at.epoch, { ...noted, content });
      await this.#post(transaction, at, { sent: { kind: "statement", statement } });
    }
    await transaction.commit();
    return groundsOf(noted ?? before, at.view, claim);
  }

  #keepDispute(transaction: Transaction, epoch: number, dispute: Dispute): void {
    transaction.set(disputeKey(this.id, epoch), dispute);
    transaction.afterwards(() => {
      if (epoch === Number(this.#view?.epoch)) this.#dispute = dispute;
    });
  }

  /** Sends what members of an epoch say of its commit, or to one of them what only they can open. */
  async #post(
    transaction: Transaction,
    { view, keys }: At,
    { sent, only }: { sent: Parameters<typeof encodeSent>[0]; only?: number },
  ): Promise<void> {
    const { sealing, nowMillis } = this.#core;
    const others = membersOf(view).filter(({ id, isMe }) => !isMe && (only === undefined || id === only));
    const to = others.flatMap(({ address }) => (address === "" ? [] : [address]));
    if (to.length === 0) return;
    const content = encodeContent({ kind: "dispute", message: encodeSent(sent) });
    const copies = await sealMessages({ to, content, keys }, sealing);
    this.#parts.outbox.post(transaction, { group: this.id, copies, createdAtMillis: nowMillis(), isQuiet: true });
  }

  #presentAt(transaction: Transaction): At {
    return {
      epoch: Number(this.view.epoch),
      state: this.#latestState(transaction),
      view: this.view,
      keys: this.keys,
    };
  }

  /** Undefined if the state of the epoch is not kept any more. */
  async #at(transaction: Transaction, epoch: number): Promise<At | undefined> {
    if (epoch === Number(this.view.epoch)) return this.#presentAt(transaction);
    if (this.#past?.epoch === epoch) return this.#past;
    const state = await this.#pastState(transaction, this.#pastKey(epoch));
    const keys = this.#stored.epochs.find((one) => one.epoch === epoch)?.keys;
    if (state === undefined || keys === undefined) return undefined;
    this.#past = { epoch, state, view: this.#core.mls.view(state), keys };
    return this.#past;
  }

  async #handleDispute(transaction: Transaction, message: Uint8Array, epoch: number): Promise<FollowUp[]> {
    const sent = readSent(message);
    const at = this.isActive && sent !== undefined ? await this.#at(transaction, epoch) : undefined;
    if (at === undefined || sent === undefined) return [];
    const dispute = await readDispute(transaction, disputeKey(this.id, epoch));
    if (sent.kind === "repair") return this.#handleRepair(transaction, { at, dispute, repair: sent });
    const noted = noteStatement(dispute, at.view, sent.statement);
    if (noted === undefined) return [];
    this.#keepDispute(transaction, epoch, noted);
    if (epoch === Number(this.view.epoch)) return [{ kind: "follow", group: this.id }];
    return this.#help(transaction, at, noted);
  }

  /** Another member has sealed a path secret for this one. It is kept if it leads to the epoch that all see. */
  async #handleRepair(
    transaction: Transaction,
    { at, dispute, repair }: { at: At; dispute: Dispute; repair: NonNullable<Dispute["repair"]> },
  ): Promise<FollowUp[]> {
    const { content } = dispute;
    if (at.epoch !== Number(this.view.epoch) || content === undefined || hashOf(content) !== repair.commit) return [];
    const found = contentIn(at.keys, content);
    const { result } = found === undefined ? { result: undefined } : await this.#process(at, found, repair.sealed);
    if (result?.kind !== "valid") return [];
    const { commit, sealed } = repair;
    this.#keepDispute(transaction, at.epoch, { ...dispute, repair: { commit, sealed } });
    return [{ kind: "follow", group: this.id }];
  }

  /** Does what this device has to do for members who cannot use the commit by which it has left an epoch. */
  async #help(transaction: Transaction, { epoch, view }: At, dispute: Dispute): Promise<FollowUp[]> {
    const logged = await transaction.read<LoggedCommit>(logKey(this.id, epoch));
    if (logged === undefined || logged.content.length === 0) return [];
    const commit = hashOf(logged.content);
    const complaints = complaintsOf(dispute, commit);
    const { repaired = [] } = dispute;
    const others = complaints.filter(({ leaf }) => leaf !== view.ownLeaf && !repaired.includes(leaf));
    const left: FollowUp[] = [];
    if (others.length > 0 && !(await this.isBusy(transaction))) {
      const [{ committer }] = others as [Statement];
      const notBeforeMillis = this.#core.nowMillis() + repairDelay(view, { committer, commit, dispute });
      for (const { leaf } of others) this.want(transaction, { kind: "repair", epoch, leaf, notBeforeMillis });
      const now = [...repaired, ...others.map(({ leaf }) => leaf)];
      this.#keepDispute(transaction, epoch, { ...dispute, repaired: now });
      left.push({ kind: "change", group: this.id });
    }
    const byCommitter = complaints.some((one) =>
      isMajority(view, { committer: one.committer, leaves: complaints.map(({ leaf }) => leaf) }),
    );
    if (byCommitter) left.push({ kind: "review", group: this.id, epoch });
    return left;
  }

  /** Seals a path secret for a member who still cannot use the commit that this device could use. Commits the transaction. */
  async repair(transaction: Transaction, key: string, { epoch, leaf }: { epoch: number; leaf: number }): Promise<void> {
    transaction.remove(key);
    const dispute = await readDispute(transaction, disputeKey(this.id, epoch));
    const logged = await transaction.read<LoggedCommit>(logKey(this.id, epoch));
    const at = await this.#at(transaction, epoch);
    const statement = logged && statementOf(dispute, { leaf, commit: hashOf(logged.content) });
    if (at !== undefined && logged !== undefined && statement?.isUsable === false) {
      const { commit: bytes, grounds } = readSlotContent(logged.commit);
      const judge = (signed: SignedCommit) => mayCount(at.view, signed, grounds);
      const sealed = await this.#core.mls.repair?.(at.state, { commit: bytes, isAllowed: judge, leaf });
      if (sealed !== undefined)
        await this.#post(transaction, at, { sent: { kind: "repair", commit: statement.commit, sealed }, only: leaf });
    }
    await transaction.commit();
  }

  /** After an epoch has ended by a commit: tells that this device can use it by now, and helps others. */
  async #afterDispute(transaction: Transaction, at: At, content: Uint8Array): Promise<FollowUp[]> {
    let dispute = await readDispute(transaction, disputeKey(this.id, at.epoch));
    const own = statementOf(dispute, { leaf: at.view.ownLeaf, commit: hashOf(content) });
    if (own?.isUsable === false) {
      const { commit, committer } = own;
      const claim = { commit, committer, isUsable: true };
      const statement = signClaim(at.view, claim, this.#core.account.deviceSecret);
      dispute = noteStatement(dispute, at.view, statement) ?? dispute;
      this.#keepDispute(transaction, at.epoch, dispute);
      await this.#post(transaction, at, { sent: { kind: "statement", statement } });
    }
    return this.#help(transaction, at, dispute);
  }

  /** A past epoch, with the commit that has ended it for this device. */
  async ended(transaction: Transaction, epoch: number): Promise<(At & { logged: LoggedCommit }) | undefined> {
    if (!this.isActive || epoch >= Number(this.view.epoch)) return undefined;
    const at = await this.#at(transaction, epoch);
    const logged = await transaction.read<LoggedCommit>(logKey(this.id, epoch));
    return at && logged && logged.content.length > 0 ? { ...at, logged } : undefined;
  }

  /** Past epochs whose commits members have complained of, the newest ones. */
  async disputedEpochs(): Promise<number[]> {
    const prefix = `${disputePrefix}${this.id}/`;
    const stored = await this.#core.ledger.store.list({ prefix, limit: maxReviewed, last: true });
    return stored.map(([key]) => Number(key.slice(prefix.length))).filter((epoch) => epoch < this.knownEpoch);
  }

  /** Whether an attempt after the commit that has ended an epoch has another one that replaces it. */
  async isReplacedBy({ logged, ...at }: At & { logged: LoggedCommit }, content: Uint8Array): Promise<boolean> {
    const found = contentIn(at.keys, content);
    if (found === undefined || found.grounds?.commit !== hashOf(logged.content)) return false;
    return (await this.#process(at, found)).result.kind !== "void";
  }

  /** Goes back to a past epoch, because the commit that has ended it was replaced. Commits the transaction. */
  async goBack(transaction: Transaction, epoch: number): Promise<void> {
    const before = this.view;
    const saved = await transaction.get(this.#pastKey(epoch));
    if (!this.isActive || saved === undefined || epoch >= Number(before.epoch)) return;
    const state = await this.#core.mls.load(saved);
    const { epochs, log = [] } = this.#stored;
    for (const one of epochs) if (one.epoch >= epoch) this.#forget(transaction, one.epoch, one.epoch > epoch);
    for (const one of log) if (one.epoch >= epoch) transaction.remove(logKey(this.id, one.epoch));
    transaction.remove(`${pendingPrefix}${this.id}`);
    const view = this.#core.mls.view(state);
    const stored: StoredMembership = {
      ...this.#stored,
      name: readGroupContext(view.extension(groupContextType))?.name ?? this.#stored.name,
      epochs: epochs.filter((one) => one.epoch <= epoch),
      door: await doorOf(this.#core.mls.exporterOf(state)),
      log: log.filter((one) => one.epoch < epoch),
    };
    const dispute = await readDispute(transaction, disputeKey(this.id, epoch));
    transaction.set(`${groupPrefix}${this.id}`, stored);
    transaction.setBytes(`${statePrefix}${this.id}`, saved);
    const event = changeOf(this.id, [before, view]);
    if (event !== undefined) transaction.event(event);
    transaction.afterwards(() => {
      this.#stored = stored;
      this.#enterEpoch(state, dispute);
    });
    await transaction.commit();
  }

  #enterEpoch(state: unknown, dispute: Dispute): void {
    this.#replacements = new Set();
    this.#past = undefined;
    this.#dispute = dispute;
    this.#setState(state);
  }

  /** Removes the state of a past epoch. */
  #forget(transaction: Transaction, epoch: number, withDispute = true): void {
    transaction.remove(this.#pastKey(epoch));
    if (withDispute) transaction.remove(disputeKey(this.id, epoch));
  }

  /**
   * Enters the next epoch by the commit that counts, and handles what has waited for that epoch. `groupInfo` is the blob for those who join by a
   * commit of this device.
   */
  async apply(transaction: Transaction, decided: DecidedCommit, groupInfo?: BlobReference): Promise<FollowUp[]> {
    const { mls } = this.#core;
    const own = decided.state && decodeRecord<OwnCommit>(decided.state);
    const [before, keys, known] = [this.view, this.keys, this.#mlsState];
    const processed = own === undefined ? (await this.#evaluate(decided.content)).result : undefined;
    if (processed !== undefined && processed.kind !== "valid") throw new Error(`the commit is ${processed.kind}`);
    const state = own === undefined ? processed?.state : await mls.load(own.next);
    const after = mls.view(state);
    const committer = own === undefined ? processed?.committer : before.ownLeaf;
    const at: At = { epoch: Number(before.epoch), state: known, view: before, keys };
    const left: FollowUp[] = [];
    const by = before.leaves.find(({ index }) => index === committer);
    const byMember = by && { by: memberOf(by, before) };
    await this.#keepPast(transaction);
    const logged = loggedOf(decided, { keys, before, after });
    if (own !== undefined) {
      await this.#announce(transaction, { own, decided, keys, groupInfo, logged });
      transaction.remove(`${pendingPrefix}${this.id}`);
      if (own.change !== undefined) transaction.remove(own.change);
    }
    this.#noteMoves(transaction, [before, after]);
    if (after.isMember) {
      await this.#moveTo(transaction, {
        stored: { ...this.#stored, log: this.#logWith(transaction, [logged]) },
        state,
      });
      const event = changeOf(this.id, [before, after]);
      if (event !== undefined) transaction.event({ ...event, ...byMember });
      const seconds = disappearSecondsOf(after);
      if (disappearSecondsOf(before) !== seconds)
        transaction.event({ type: "disappearingChanged", group: this.id, ...(seconds && { seconds }), ...byMember });
      const textOf = (view: GroupView) => JSON.stringify(view.extension(permissionsType));
      if (textOf(before) !== textOf(after))
        transaction.event({ type: "rolesChanged", group: this.id, roles: rolesOf(after), ...byMember });
      left.push(...(await this.#afterDispute(transaction, at, decided.content)));
      const key = after.leaves.find(({ index }) => index === after.ownLeaf)?.encryptionKey;
      if (processed?.mustRenew && key !== undefined) {
        this.want(transaction, { kind: "renew", key });
        left.push({ kind: "change", group: this.id });
      }
    } else {
      const { commit, grounds } = readSlotContent(logged.commit);
      const judge = (view: GroupView, signed: SignedCommit) => mayCount(view, signed, grounds);
      const { outline } = await mls.follow(mls.outline(known), [commit], judge);
      const log = this.#logWith(transaction, [logged]);
      await this.#end(transaction, { state: "removed", outline, removedBy: byMember?.by, log });
    }
    await transaction.commit();
    return left;
  }

  async #announce(transaction: Transaction, { own, decided, keys, groupInfo, logged }: Announced): Promise<void> {
    const { content, receipt, attempt } = decided;
    const news = encodeContent({ kind: "commit", news: { content, receipt, attempt } });
    const { sealing } = this.#core;
    const joining = own.joiners.map(({ address }) => address);
    // Whoever is added again in place of an old leaf cannot read the news.
    const to = this.recipients().filter((address) => !joining.includes(address));
    const item = { group: this.id, createdAtMillis: this.#core.nowMillis() };
    this.#parts.outbox.post(transaction, { ...item, copies: await sealMessages({ to, content: news, keys }, sealing) });
    const each = own.joiners.map(async ({ address, initKey, device, sinceEpoch }, at) => {
      const recipient = { cipherSuite: this.#core.mls.cipherSuite, initKey };
      const secret = own.welcomes?.secrets[at];
      const { welcomes } = own;
      if (welcomes === undefined || secret === undefined) throw new Error("a Welcome is missing");
      const reference = isAtRelay(address, sealing) ? groupInfo : undefined;
      const seal = (proof: Proof | undefined) => {
        const welcome = writeJoinerWelcome(welcomes, secret, { reference, proof });
        return sealWelcomeMessage({ to: address, recipient, welcome }, sealing);
      };
      const proof = await this.#proofFor(transaction, { device, sinceEpoch, logged });
      // With too long a proof, a message would be larger than relays take.
      const copy = await seal(proof).catch(() => seal(undefined));
      return { copy, isShared: reference !== undefined };
    });
    // All at once: the platform has several threads for it.
    const sealed = await Promise.all(each);
    const [welcomes, shared] = [false, true].map((one) =>
      sealed.flatMap(({ copy, isShared }) => (isShared === one ? [copy] : [])),
    ) as [SealedMessage[], SealedMessage[]];
    // Apart from the news: they are of other sizes, and none waits for the others.
    for (const copies of [welcomes, shared]) this.#parts.outbox.post(transaction, { ...item, copies });
  }

  /** Proves to a former member that the group continues. Undefined if this device lacks the commits. */
  async #proofFor(
    transaction: Transaction,
    { device, sinceEpoch, logged }: { device: string; sinceEpoch: number | undefined; logged: LoggedCommit },
  ): Promise<Proof | undefined> {
    const stored = await transaction.list(`${logPrefix}${this.id}/`);
    const log = [...stored.map(([, value]) => decodeRecord<LoggedCommit>(value)), logged];
    // A member who left knows an epoch before the one in which others removed them.
    const gone = log.findLast(({ removed }) => removed.includes(device))?.epoch;
    const from = sinceEpoch ?? (gone && Math.max(log[0]?.epoch ?? 0, gone - epochsUntilRemoved));
    const needed = log.filter(({ epoch }) => from !== undefined && epoch >= from);
    return needed[0]?.epoch === from ? proofOf(needed) : undefined;
  }

  /** Keeps commits for members who come back. */
  #logWith(transaction: Transaction, logged: readonly LoggedCommit[]): Log {
    const { door, log: before = [], epochs } = this.#stored;
    const present = epochs[0]?.epoch;
    const log = [...before];
    for (const one of logged) {
      const value = encodeRecord(one);
      transaction.setBytes(logKey(this.id, one.epoch), value);
      const isKnown = one.epoch === present && door !== undefined;
      log.push({ epoch: one.epoch, bytes: value.length, ...(isKnown && { door }) });
    }
    let bytes = log.reduce((sum, one) => sum + one.bytes, 0);
    while (log.length > maxLogged || bytes > maxLoggedBytes) {
      const [oldest] = log.splice(0, 1);
      if (oldest === undefined) break;
      bytes -= oldest.bytes;
      transaction.remove(logKey(this.id, oldest.epoch));
    }
    return log;
  }

  /** The present state becomes that of a past epoch. */
  async #keepPast(transaction: Transaction): Promise<void> {
    const epoch = Number(this.view.epoch);
    transaction.setBytes(this.#pastKey(epoch), this.#core.mls.save(this.#mlsState));
  }

  async #moveTo(
    transaction: Transaction,
    { stored, state }: { stored: StoredMembership; state: unknown },
  ): Promise<void> {
    const { mls } = this.#core;
    const view = mls.view(state);
    const now = this.#core.nowMillis();
    const keys = await epochKeysOf(mls.exporterOf(state));
    const saved = mls.save(state);
    const present = { epoch: Number(view.epoch), keys, enteredAtMillis: now, bytes: saved.length };
    const past = stored.epochs.filter(({ epoch }) => epoch !== present.epoch);
    const kept = fitting(recent(past, present.enteredAtMillis, now));
    for (const one of past) if (!kept.includes(one)) this.#forget(transaction, one.epoch);
    const { name } = readGroupContext(view.extension(groupContextType)) ?? stored;
    const door = await doorOf(mls.exporterOf(state));
    const next: StoredMembership = { ...stored, name, epochs: [present, ...kept], door };
    transaction.set(`${groupPrefix}${this.id}`, next);
    transaction.setBytes(`${statePrefix}${this.id}`, saved);
    transaction.afterwards(() => {
      this.#stored = next;
      this.#enterEpoch(state, { statements: [] });
    });
  }

  /** Forgets past epochs that have ended so long ago that nothing of them is on its way any more. */
  dropPast(transaction: Transaction): void {
    const { epochs, endedAtMillis } = this.#stored;
    const now = this.#core.nowMillis();
    const present = this.state === "removed" || this.state === "left" ? [] : epochs.slice(0, 1);
    const past = epochs.slice(present.length);
    const kept = recent(past, present[0]?.enteredAtMillis ?? endedAtMillis ?? now, now);
    if (kept.length === past.length) return;
    const stored: StoredMembership = { ...this.#stored, epochs: [...present, ...kept] };
    for (const one of past.slice(kept.length)) this.#forget(transaction, one.epoch);
    transaction.set(`${groupPrefix}${this.id}`, stored);
    transaction.afterwards(() => {
      this.#stored = stored;
    });
  }

  /** Ends the membership. Messages of past epochs can still be read. */
  async #end(
    transaction: Transaction,
    {
      state,
      outline,
      removedBy,
      log = this.#stored.log ?? [],
      isDenied = false,
    }: {
      state: "left" | "removed";
      outline: Uint8Array;
      removedBy?: Member | undefined;
      log?: Log;
      isDenied?: boolean;
    },
  ): Promise<void> {
    const { name, epochs, invitedBy } = this.#stored;
    const denied = isDenied && { consent: "denied" as const, ...(invitedBy && { invitedBy }) };
    const by = { ...(removedBy && { removedBy }), ...denied };
    const outlineEpoch = Number(this.view.epoch) + (state === "removed" ? 1 : 0);
    const endedAtMillis = this.#core.nowMillis();
    const stored: StoredMembership = { state, name, epochs, endedAtMillis, outlineEpoch, ...by, log };
    transaction.set(`${groupPrefix}${this.id}`, stored);
    transaction.setBytes(`${outlinePrefix}${this.id}`, outline);
    for (const prefix of [statePrefix, pendingPrefix, receiptsPrefix, unacceptedPrefix])
      transaction.remove(prefix + this.id);
    for (const prefix of [changePrefix, requestPrefix].map((one) => `${one}${this.id}/`))
      for (const [key] of await transaction.list(prefix)) transaction.remove(key);
    if (state === "left") transaction.event({ type: "leftGroup", group: this.id });
    else transaction.event({ type: "removed", group: this.id, ...(removedBy && { by: removedBy }) });
    transaction.afterwards(() => {
      this.#stored = stored;
      this.#mlsState = undefined;
      this.#view = undefined;
    });
  }

  /** The present state, with what this transaction has done to it. */
  #latestState(transaction: Transaction): unknown {
    return transaction.state(`${statePrefix}${this.id}`) ?? this.#mlsState;
  }

  /** Stores the next state of the present epoch. */
  #moveState(transaction: Transaction, state: unknown): void {
    transaction.setState(`${statePrefix}${this.id}`, { state, save: () => this.#core.mls.save(state) });
    transaction.afterwards(() => this.#setState(state));
  }

  async #pastState(transaction: Transaction, key: string): Promise<unknown> {
    const known = transaction.state(key);
    if (known !== undefined) return known;
    const saved = await transaction.get(key);
    return saved && this.#core.mls.load(saved);
  }

  async #decrypt(transaction: Transaction, message: Uint8Array, epoch: number) {
    const { mls } = this.#core;
    // Also in the last epoch of a group that cannot be followed: others may still write in it.
    const isPresent = epoch === Number(this.#view?.epoch);
    const key = isPresent ? `${statePrefix}${this.id}` : this.#pastKey(epoch);
    // If the store fails, the message stays in the queue.
    const state = isPresent ? this.#latestState(transaction) : await this.#pastState(transaction, key);
    if (state === undefined) return undefined;
    try {
      const opened = await mls.decrypt(state, message);
      if (isPresent) this.#moveState(transaction, opened.state);
      else transaction.setState(key, { state: opened.state, save: () => mls.save(opened.state) });
      const view = mls.view(state);
      const sender = view.leaves.find(({ index }) => index === opened.sender);
      const maySend = may(view, opened.sender, "send");
      const disappearSeconds = disappearSecondsOf(view);
      const by = sender && { ...sender, maySend, member: memberOf(sender, view), disappearSeconds };
      return by && { content: opened.content, sender: by };
    } catch (problem) {
      this.#core.problem(problem);
      return undefined;
    }
  }

  async #handleBody(
    transaction: Transaction,
    body: Body,
    sender: Pick<Leaf, "index" | "signatureKey"> & {
      member: Member;
      maySend: boolean;
      disappearSeconds: number | undefined;
      receivedAtSeconds: number;
    },
  ): Promise<FollowUp[]> {
    if (!("operation" in body)) {
      const { member: by, receivedAtSeconds: at, disappearSeconds } = sender;
      // Every member ignores it alike: the roles of its epoch count.
      if (sender.maySend || isFree(body)) await this.#keep(transaction, body, { by, at, disappearSeconds });
    } else if (body.operation === "address_rotation") {
      this.#noteMove(transaction, sender.member.address, body.address);
    } else if (body.operation === "leave" && this.isActive) {
      return this.#noteLeaving(transaction, sender);
    }
    return [];
  }

  /** A user leaves with all devices: this one, too, if it is one of them. Otherwise a member removes them. */
  async #noteLeaving(
    transaction: Transaction,
    { index, signatureKey, member: { user, isSigned } }: { index: number; signatureKey: Uint8Array; member: Member },
  ): Promise<FollowUp[]> {
    if (isSigned && user === this.#core.account.user) {
      await this.#end(transaction, { state: "left", outline: this.#core.mls.outline(this.#mlsState) });
    } else {
      // A message of a past epoch may be of somebody whose leaf another member has now.
      const isSender = (leaf: Leaf) => leaf.index === index && equalBytes(leaf.signatureKey, signatureKey);
      const isLeaving = (one: Member) => isSigned && one.isSigned && one.user === user;
      const leaves = this.view.leaves.filter((leaf) => {
        const member = memberOf(leaf, this.view);
        return !member.isMe && (isSender(leaf) || isLeaving(member));
      });
      const ids = leaves.map((leaf) => leaf.index);
      if (ids.length === 0) return [];
      const members = leaves.map(({ index: leaf, signatureKey }) => ({ leaf, signatureKey }));
      const notBeforeMillis = this.#isFirst("remove", index) ? 0 : this.#core.nowMillis() + standInMillis;
      const change: Change = { kind: "remove", members, notBeforeMillis };
      // A removal by this device's user also bans: whoever leaves meanwhile does not replace it.
      const isSame = (one: Change) =>
        one.kind === "remove" && one.banned === undefined && one.members.map(({ leaf }) => leaf).join() === ids.join();
      await this.#wantOnce(transaction, change, { isSame });
    }
    return [{ kind: "change", group: this.id }];
  }

  /** What was sealed for members at addresses that they had before can be sent to where they are now. */
  #noteMoves(transaction: Transaction, [before, after]: [GroupView, GroupView]): void {
    const now = new Map(membersOf(after).map(({ device, address }) => [device, address]));
    for (const { isSigned, device, address } of membersOf(before)) {
      const next = now.get(device);
      if (isSigned && next !== undefined && next !== address) this.#noteMove(transaction, address, next);
    }
  }

  #noteMove(transaction: Transaction, from: string, to: string): void {
    transaction.set(movedKey(this.id, from), { to, at: this.#nowSeconds() });
  }

  /** Stores a message, or what it does to others. */
  async #keep(
    transaction: Transaction,
    body: SvcMessage,
    { by, at, disappearSeconds }: { by: Member; at: number; disappearSeconds?: number | undefined },
  ): Promise<Message | undefined> {
    const { ledger, account, nowMillis } = this.#core;
    const isUsers = by.isSigned && by.user === account.user;
    const isRead = body.type === "receipt" && body.status === "read";
    if (isUsers) await noteRead(transaction, this.id, [...(body.read ?? []), ...(isRead ? body.targets : [])]);
    for (const status of ["delivered", "read"] as const) {
      const { [status]: targets, message_id, sent_at_millis } = body;
      if (targets === undefined || by.isMe) continue;
      const effect = { type: "receipt", message_id, sent_at_millis, targets, status } as const;
      await affectMessages(transaction, { group: this.id, effect, by, at });
    }
    switch (body.type) {
      case "text":
      case "attachment":
      case "custom":
        this.#showTyping(transaction, by, false);
        return keepMessage(ledger, transaction, {
          group: this.id,
          body,
          by,
          isMine: isUsers || by.isMe,
          receivedAtMillis: lastMillisOf(at),
          end: endOf(lastMillisOf(at), disappearSeconds, nowMillis()),
        });
      case "reaction":
      case "edit":
      case "receipt":
        await affectMessages(transaction, { group: this.id, effect: body, by, at });
        return undefined;
      case "typing":
        if (!by.isMe) this.#showTyping(transaction, by, body.is_typing);
        return undefined;
      case "persona_update":
        return undefined;
    }
  }

  async #seal(transaction: Transaction, given: Body): Promise<Message | undefined> {
    const isMessage = "type" in given && ["text", "attachment", "custom"].includes(given.type);
    const body = isMessage ? { ...given, ...(await takeReceipts(transaction, this.id)) } : given;
    const copies = await this.#copiesOf(transaction, body);
    const me = this.members().find(({ isMe }) => isMe) as Member;
    const noted = { by: me, at: this.#nowSeconds(), disappearSeconds: disappearSecondsOf(this.view) };
    const stored = "operation" in body ? undefined : await this.#keep(transaction, body, noted);
    const isLate = !("operation" in body) && this.#parts.reception.isBehind;
    const isQuiet = "type" in body && body.type === "receipt";
    const item = {
      group: this.id,
      copies,
      ...(stored && { message: stored.id }),
      ...(isQuiet && { isQuiet }),
      ...(isLate && { body }),
    };
    if (stored !== undefined && copies.length > 0)
      await noteWaiting(transaction, { group: this.id, message: stored.id });
    this.#parts.outbox.post(transaction, { ...item, createdAtMillis: this.#core.nowMillis() });
    return stored;
  }

  /** Seals again what was sealed in an epoch that the others may have left long ago. Undefined if this device may not send it any more. */
  async sealAgain(transaction: Transaction, body: Body): Promise<SealedMessage[] | undefined> {
    if (!this.isActive || !(isFree(body) || this.may("send"))) return undefined;
    return this.#copiesOf(transaction, body);
  }

  async #copiesOf(transaction: Transaction, body: Body): Promise<SealedMessage[]> {
    const { mls, sealing } = this.#core;
    const { state, message } = await mls.encrypt(this.#latestState(transaction), encodeBody(body));
    const content = encodeContent({ kind: "mls", message });
    const to = this.recipients();
    const copies = to.length === 0 ? [] : await sealMessages({ to, content, keys: this.keys }, sealing);
    this.#moveState(transaction, state);
    return copies;
  }

  #setState(state: unknown): void {
    this.#mlsState = state;
    this.#view = this.#core.mls.view(state);
  }

  demandActive(): void {
    if (!this.isActive) throw new Error(`this device is not in the group: ${this.state}`);
  }

  demandAccepted(): void {
    this.demandActive();
    if (!this.isAccepted) throw new Error("the group is a request: accept it first");
  }

  #nowSeconds(): number {
    return Math.floor(this.#core.nowMillis() / 1000);
  }

  #pastKey(epoch: number): string {
    return numbered(`${pastPrefix}${this.id}/`, epoch);
  }
}

/** Undefined if it is in no envelope of the epoch. */
function contentIn(keys: EpochKeys, envelope: Uint8Array): SlotContent | undefined {
  const opened = openEnvelope(keys, envelope);
  try {
    return opened && readSlotContent(opened);
  } catch {
    return undefined;
  }
}

function mayCount(view: GroupView, signed: SignedCommit, grounds: Grounds | undefined): boolean {
  return grounds === undefined ? isAllowed(view, signed) : mayReplace(view, signed, grounds);
}

/** A commit as it is kept for members who come back. */
function loggedOf(
  { content, receipt, attempt }: DecidedCommit,
  { keys, before, after }: { keys: EpochKeys; before: GroupView; after: GroupView },
): LoggedCommit {
  const commit = openEnvelope(keys, content);
  if (commit === undefined) throw new Error("the commit is in no envelope of its epoch");
  const present = membersOf(after).map(({ device }) => device);
  const removed = membersOf(before).flatMap(({ device }) => (present.includes(device) ? [] : [device]));
  return { epoch: Number(before.epoch), content, receipt, attempt, commit, removed };
}

/** The past epochs whose messages may still be on their way. `endedAtMillis` is when the newest of them ended. */
function recent(past: readonly Epoch[], endedAtMillis: number, nowMillis: number): Epoch[] {
  // Each epoch has lasted until the next one was entered.
  const endedAt = (at: number) => past[at - 1]?.enteredAtMillis ?? endedAtMillis;
  const old = past.findIndex((_, at) => endedAt(at) <= nowMillis - maxPastMillis);
  return old < 0 ? [...past] : past.slice(0, old);
}

/** The newest ones that may be kept. */
function fitting(past: readonly Epoch[]): Epoch[] {
  let total = 0;
  const fits = ({ bytes }: Epoch, at: number) => {
    total += bytes;
    return at < maxPastEpochs && total <= (at < minPastEpochs ? maxLargePastBytes : maxPastBytes);
  };
  const end = past.findIndex((one, at) => !fits(one, at));
  return end < 0 ? [...past] : past.slice(0, end);
}

/** Whether it needs no permission. */
function isFree(body: Body): boolean {
  return "operation" in body || body.type === "receipt" || body.type === "persona_update";
}

/** What a commit has changed; undefined if only keys are new. */
function changeOf(
  group: string,
  [before, after]: [GroupView, GroupView],
): (GroupEvent & { type: "changed" }) | undefined {
  const namesOf = ({ leaves }: GroupView) => new Set(leaves.map(nameOf));
  const [old, now] = [namesOf(before), namesOf(after)];
  const joined = after.leaves.filter((leaf) => !old.has(nameOf(leaf))).map((leaf) => memberOf(leaf, after));
  const left = before.leaves.filter((leaf) => !now.has(nameOf(leaf))).map((leaf) => memberOf(leaf, before));
  const name = groupNameIn(after);
  const isQuiet = joined.length === 0 && left.length === 0 && name === groupNameIn(before);
  return isQuiet ? undefined : { type: "changed", group, name, joined, left };
}

/** A message disappears at the same time for all members: they count from when the relay has taken it. */
function endOf(receivedAtMillis: number, disappearSeconds: number | undefined, nowMillis: number) {
  if (disappearSeconds === undefined) return undefined;
  const atMillis = receivedAtMillis + 1000 * disappearSeconds;
  return { atMillis, isOver: atMillis <= nowMillis };
}

function disappearSecondsOf(view: GroupView): number | undefined {
  return disappearSecondsIn(view.extension(groupContextType));
}

function groupNameIn(view: GroupView): string {
  return shownName(readGroupContext(view.extension(groupContextType))?.name ?? "", maxGroupNameLength);
}

function nameOf({ index, signatureKey }: { index: number; signatureKey: Uint8Array }): string {
  return `${index} ${encodeHex(signatureKey)}`;
}
