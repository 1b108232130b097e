// This device's membership in one group: what is stored of it, and what its MLS state shows. The files beside this one decide when it changes. Each
// change is one transaction of the ledger; memory follows once that is committed.
//
//   active ── own removal by a commit ──▶ removed ─┐
//     │  └─── slots that cannot be followed ─▶ mustRejoin ─┤ a Welcome of a later epoch ─▶ active
//     └────── leave ────────────────────────▶ left ────────┘
//
// The states of the present epoch and of some past ones are stored under separate keys: a text changes the state of its epoch only.

import { type EpochKeys, epochKeysOf, openEnvelope, type RejoinReason } from "../../client/index.js";
import { maxGroupNameLength, shownName } from "../encoding/names.js";
import { directUserIn } from "../mls/direct-chat-users.js";
import {
  disappearSecondsOf,
  type GroupContext,
  groupContextType,
  groupNameIn,
  readGroupContext,
} from "../mls/group-context.js";
import { type Member, membersOf } from "../mls/members.js";
import type { GroupView, ProcessedCommit } from "../mls/mls.js";
import { may, type Permission } from "../mls/permissions.js";
import type { CatchUp } from "../sending/catch-up.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Outbox } from "../sending/outbox.js";
import type { Transaction } from "../store/ledger.js";
import { disputeKey, groupPrefix, inGroup, keyOf, numbered, pastPrefix, statePrefix } from "../store/record-keys.js";
import type { Consent, Dispute, MembershipState, StoredMembership } from "../store/records.js";
import { doorOf } from "./door-keys.js";
import { keptEpochs, recentEpochs } from "./past-epochs.js";

/** An epoch whose state this device has. */
export interface At {
  epoch: number;
  state: unknown;
  view: GroupView;
  keys: EpochKeys;
}

/** An envelope that keys of this group open. */
export interface Opened {
  content: Uint8Array;
  epoch: number;
}

/** The state of a membership, and its dependencies. */
export interface MembershipParts {
  core: DeviceCore;
  outbox: Outbox;
  catchUp: CatchUp;
  /** By their groups' ids. */
  memberships: Map<string, Membership>;
}

/** What the commit in a slot's content does to this member. */
export interface Evaluated {
  content: Uint8Array;
  state: unknown;
  repair: Uint8Array | undefined;
  result: ProcessedCommit<unknown>;
  committer: number;
}

/** What this device knows of the present epoch beside its state. Each epoch starts with a new one. */
interface PresentEpoch {
  dispute: Dispute;
  /** Hashes of content that replaces the commit before it. */
  readonly replacements: Set<string>;
  evaluated?: Evaluated;
  /** The past epoch that was examined last. */
  past?: At;
}

/** What is kept in memory of a group that this device is or was in. */
interface Loaded {
  stored: StoredMembership;
  /** Undefined if this device is not in the group. */
  mlsState?: unknown;
  dispute?: Dispute | undefined;
}

/** `told` is the number of signals that were shown since `fromMillis`. */
interface Typing {
  isTyping: boolean;
  fromMillis: number;
  told: number;
}

export class Membership {
  readonly id: string;
  readonly core: DeviceCore;
  readonly outbox: Outbox;
  readonly catchUp: CatchUp;
  /** Typing signals of members, by their leaves. */
  readonly typing = new Map<number, Typing>();
  /** How many unreadable messages the application has been told of since then. */
  unreadable = { fromMillis: 0, told: 0 };
  readonly #memberships: Map<string, Membership>;
  #stored: StoredMembership;
  #mlsState: unknown;
  #view: GroupView | undefined;
  #present: PresentEpoch;

  constructor({ core, outbox, catchUp, memberships }: MembershipParts, id: string, loaded: Loaded) {
    this.core = core;
    this.outbox = outbox;
    this.catchUp = catchUp;
    this.#memberships = memberships;
    this.id = id;
    this.#stored = loaded.stored;
    this.#mlsState = loaded.mlsState;
    this.#view = loaded.mlsState === undefined ? undefined : core.mls.view(loaded.mlsState);
    this.#present = presentOf(loaded.dispute);
  }

  static async load(parts: MembershipParts, id: string): Promise<Membership> {
    const { core } = parts;
    const stored = await core.ledger.read(keyOf(groupPrefix, id));
    if (stored === undefined) throw new Error(`there is no group ${id}`);
    const saved = await core.ledger.store.get(keyOf(statePrefix, id));
    const mlsState = saved && (await core.mls.load(saved));
    const dispute = await core.ledger.read(disputeKey(id, stored.epochs[0]?.epoch ?? 0));
    const membership = new Membership(parts, id, { stored, mlsState, dispute });
    membership.list();
    return membership;
  }

  /** The other parts of the device find it from now on. */
  list(): void {
    this.#memberships.set(this.id, this);
  }

  get stored(): StoredMembership {
    return this.#stored;
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

  get name(): string {
    const user = this.#view && directUserIn(this.#view);
    const name = user === undefined ? undefined : this.core.ledger.people.nameOf(user);
    if (name !== undefined) return name;
    return shownName(this.#stored.name, maxGroupNameLength);
  }

  demandActive(): void {
    if (!this.isActive) throw new Error(`this device is not in the group: ${this.state}`);
  }

  demandAccepted(): void {
    this.demandActive();
    if (!this.isAccepted) throw new Error("the group is a request: accept it first");
  }

  /** The last epoch of which this device knows what all members do. */
  get knownEpoch(): number {
    return this.#stored.outlineEpoch ?? this.#stored.epochs[0]?.epoch ?? 0;
  }

  get enteredAtMillis(): number {
    return this.#stored.epochs[0]?.enteredAtMillis ?? 0;
  }

  /** When this device entered the epoch that followed one that it still knows. */
  endedAtMillis(epoch: number): number {
    const { epochs } = this.#stored;
    return epochs[epochs.findIndex((one) => one.epoch === epoch) - 1]?.enteredAtMillis ?? this.enteredAtMillis;
  }

  get keys(): EpochKeys {
    const [present] = this.#stored.epochs;
    if (present === undefined) throw new Error("this device is not in the group");
    return present.keys;
  }

  get view(): GroupView {
    if (this.#view === undefined) throw new Error("this device is not in the group");
    return this.#view;
  }

  /** Undefined if this device is not in the group. */
  get epoch(): number | undefined {
    return this.#view && Number(this.#view.epoch);
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

  /** After how many seconds messages disappear that are sent now. */
  get disappearSeconds(): number | undefined {
    return this.#view && disappearSecondsOf(this.#view);
  }

  members(): readonly Member[] {
    return this.#view === undefined ? [] : membersOf(this.#view);
  }

  others(): readonly Member[] {
    return this.members().filter(({ isMe }) => !isMe);
  }

  /** The addresses of the other members. */
  recipients(): string[] {
    return this.others().flatMap(({ address }) => (address === "" ? [] : [address]));
  }

  /** Whether the roles allow something for this device, or for the member with this leaf. */
  may(permission: Permission, leaf = this.view.ownLeaf): boolean {
    return may(this.view, leaf, permission);
  }

  /** Tries the keys of as many epochs as are given, the newest first. */
  open(envelope: Uint8Array, epochs = Number.POSITIVE_INFINITY): Opened | undefined {
    for (const { keys, epoch } of this.#stored.epochs.slice(0, epochs)) {
      const content = openEnvelope(keys, envelope);
      if (content !== undefined) return { content, epoch };
    }
    return undefined;
  }

  get present(): PresentEpoch {
    return this.#present;
  }

  /** Whether members have said that they cannot use a commit of this epoch. */
  get isDisputed(): boolean {
    return this.#present.dispute.statements.length > 0;
  }

  keepDispute(transaction: Transaction, epoch: number, dispute: Dispute): void {
    transaction.set(disputeKey(this.id, epoch), dispute);
    transaction.afterwards(() => {
      if (epoch === this.epoch) this.#present.dispute = dispute;
    });
  }

  /** Stores what has changed. */
  change(transaction: Transaction, stored: StoredMembership): void {
    transaction.set(keyOf(groupPrefix, this.id), stored);
    transaction.afterwards(() => {
      this.#stored = stored;
    });
  }

  presentAt(transaction: Transaction): At {
    const { view, keys } = this;
    return { epoch: Number(view.epoch), state: this.latestState(transaction), view, keys };
  }

  /** Undefined if the state of the epoch is no longer kept. */
  async at(transaction: Transaction, epoch: number): Promise<At | undefined> {
    if (epoch === Number(this.view.epoch)) return this.presentAt(transaction);
    if (this.#present.past?.epoch === epoch) return this.#present.past;
    const state = await this.pastState(transaction, this.pastKey(epoch));
    const keys = this.#stored.epochs.find((one) => one.epoch === epoch)?.keys;
    if (state === undefined || keys === undefined) return undefined;
    this.#present.past = { epoch, state, view: this.core.mls.view(state), keys };
    return this.#present.past;
  }

  /** The present state, including changes by this transaction. */
  latestState(transaction: Transaction): unknown {
    return transaction.state(keyOf(statePrefix, this.id)) ?? this.#mlsState;
  }

  /** Stores the next state of the present epoch. */
  moveState(transaction: Transaction, state: unknown): void {
    transaction.setState(keyOf(statePrefix, this.id), { state, save: () => this.core.mls.save(state) });
    transaction.afterwards(() => this.#setState(state));
  }

  async pastState(transaction: Transaction, key: string): Promise<unknown> {
    const known = transaction.state(key);
    if (known !== undefined) return known;
    const saved = await transaction.get(key);
    return saved && this.core.mls.load(saved);
  }

  /** The present state becomes that of a past epoch. */
  keepPast(transaction: Transaction): void {
    transaction.setBytes(this.pastKey(Number(this.view.epoch)), this.core.mls.save(this.#mlsState));
  }

  async moveTo(
    transaction: Transaction,
    { stored, state }: { stored: StoredMembership; state: unknown },
  ): Promise<void> {
    const { mls } = this.core;
    const view = mls.view(state);
    const now = this.core.nowMillis();
    const keys = await epochKeysOf(mls.exporterOf(state));
    const saved = mls.save(state);
    const present = { epoch: Number(view.epoch), keys, enteredAtMillis: now, bytes: saved.length };
    const past = stored.epochs.filter(({ epoch }) => epoch !== present.epoch);
    const kept = keptEpochs(recentEpochs(past, present.enteredAtMillis, now));
    for (const one of past) if (!kept.includes(one)) this.forgetEpoch(transaction, one.epoch);
    const name = groupNameIn(view, stored.name);
    const door = await doorOf(mls.exporterOf(state));
    const next: StoredMembership = { ...stored, name, epochs: [present, ...kept], door };
    this.change(transaction, next);
    transaction.setBytes(keyOf(statePrefix, this.id), saved);
    transaction.afterwards(() => this.#enterEpoch(state));
  }

  /** Goes back to the state of a past epoch. */
  moveBack(
    transaction: Transaction,
    {
      stored,
      saved,
      state,
      dispute,
    }: { stored: StoredMembership; saved: Uint8Array; state: unknown; dispute: Dispute },
  ): void {
    this.change(transaction, stored);
    transaction.setBytes(keyOf(statePrefix, this.id), saved);
    transaction.afterwards(() => this.#enterEpoch(state, dispute));
  }

  #enterEpoch(state: unknown, dispute?: Dispute): void {
    this.#present = presentOf(dispute);
    this.#setState(state);
  }

  /** Removes the state of a past epoch. */
  forgetEpoch(transaction: Transaction, epoch: number, withDispute = true): void {
    transaction.remove(this.pastKey(epoch));
    if (withDispute) transaction.remove(disputeKey(this.id, epoch));
  }

  /** Ends the membership: what is stored of past epochs stays. */
  end(transaction: Transaction, stored: StoredMembership): void {
    this.change(transaction, stored);
    transaction.remove(keyOf(statePrefix, this.id));
    transaction.afterwards(() => this.#clear());
  }

  /** Stops opening and changing anything of this group. Its stored data is deleted in the same transaction. */
  forget(transaction: Transaction): void {
    if (this.isActive) throw new Error("leave the group before you forget it");
    transaction.afterwards(() => {
      this.#stored = { state: "left", name: "", epochs: [] };
      this.#clear();
      this.#memberships.delete(this.id);
    });
  }

  #setState(state: unknown): void {
    this.#mlsState = state;
    this.#view = this.core.mls.view(state);
  }

  #clear(): void {
    this.#mlsState = undefined;
    this.#view = undefined;
  }

  nowSeconds(): number {
    return Math.floor(this.core.nowMillis() / 1000);
  }

  pastKey(epoch: number): string {
    return numbered(inGroup(pastPrefix, this.id), epoch);
  }
}

function presentOf(dispute: Dispute = { statements: [] }): PresentEpoch {
  return { dispute, replacements: new Set() };
}
