// What comes from the queue. A message is stored or handled before it is acknowledged. One whose keys this device does not have yet waits in the
// store: the commit or the Welcome that leads to its epoch may come later. A message that cannot be read at all is reported once.

import { sha256 } from "@noble/hashes/sha2.js";
import { canBeReported, type IncomingMessage, kindOfEnvelope, NotLoadedError, openWelcome } from "../client/index.js";
import { WaitingRoom } from "../client/keys/waiting-room.js";
import { encodeHex } from "../protocol/encodings.js";
import type { Devices } from "./devices/devices.js";
import type { KeyPackages } from "./devices/key-packages.js";
import type { Consents } from "./membership/consent.js";
import type { Proof } from "./membership/continuity.js";
import { isFalseDirectChat } from "./membership/direct-chats.js";
import { enterGroup } from "./membership/entering.js";
import type { FollowUp } from "./membership/follow-ups.js";
import type { Arrivals } from "./membership/group-info-download.js";
import { handleRequest } from "./membership/join-requests.js";
import type { Membership, MembershipParts, Opened } from "./membership/membership.js";
import { maxKeptSeconds } from "./membership/pruning.js";
import { receiveOpened } from "./membership/receiving.js";
import { continuationOf, refuseWelcome } from "./membership/rejoining.js";
import { RequestOpener } from "./membership/request-opening.js";
import { readJoinerWelcome, withGroupInfo } from "./membership/welcomes.js";
import { directUserIn } from "./mls/direct-chat-users.js";
import { groupContextType, readGroupContext } from "./mls/group-context.js";
import { isWithinBounds } from "./mls/group-size.js";
import { type Member, membersOf } from "./mls/members.js";
import type { DeviceCore } from "./sending/device-core.js";
import { Transaction } from "./store/ledger.js";
import { keyOf, restOf, seenPrefix, waitingPrefix, welcomePrefix } from "./store/record-keys.js";
import type { Waiting, WaitingWelcome } from "./store/records.js";

interface Arrived {
  message: IncomingMessage;
  resolve(followUps: FollowUp[]): void;
  reject(problem: unknown): void;
}

interface Joined {
  own: ReturnType<KeyPackages["inOrder"]>[number];
  state: unknown;
  /** Who has signed the GroupInfo. */
  inviter: Member | undefined;
  /** The membership of before. */
  old: Membership | undefined;
  proof: Proof | undefined;
}

/** How long to wait for commits that may make room. */
const makeRoomMillis = 60_000;
/** Between attempts while the store fails. */
const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;
const maxWelcomes = 100;
/** Epochs whose keys are tried for all that waits: with those of every past one, a flood of strangers would hold up each start. */
const maxUntried = 16;

interface InboxParts {
  devices: Devices;
  packages: KeyPackages;
  arrivals: Arrivals;
  consents: Consents;
}

export class Inbox {
  readonly #core: DeviceCore;
  readonly #devices: Devices;
  readonly #packages: KeyPackages;
  readonly #arrivals: Arrivals;
  readonly #consents: Consents;
  readonly #parts: MembershipParts;
  readonly #requests = new RequestOpener();
  /** Whose keys have opened an envelope last. */
  #latest: Membership | undefined;
  #arrived: Arrived[] = [];
  /** By the hashes of their bytes. */
  readonly #waiting = new WaitingRoom<Waiting & { key: string }>(({ ciphertext, receivedAtSeconds }) => ({
    bytes: ciphertext.length,
    atSeconds: receivedAtSeconds,
  }));
  #welcomes: [key: string, WaitingWelcome][] = [];
  /** Groups whose keys, up to the present epoch, open nothing of what waits. */
  readonly #tried = new Set<Membership>();

  constructor(parts: MembershipParts, { devices, packages, arrivals, consents }: InboxParts) {
    this.#core = parts.core;
    this.#parts = parts;
    this.#devices = devices;
    this.#packages = packages;
    this.#arrivals = arrivals;
    this.#consents = consents;
  }

  async load(): Promise<void> {
    const { ledger } = this.#core;
    for (const [key, entry] of await ledger.readAll(waitingPrefix)) this.#waiting.add(entry.hash, { ...entry, key });
    this.#welcomes = await ledger.readAll(welcomePrefix);
  }

  /** Stores or handles a message; `followed` resolves once all groups are followed. Resolves to the work that is left to do in groups. */
  handle(message: IncomingMessage, followed: () => Promise<unknown>): Promise<FollowUp[]> {
    return new Promise((resolve, reject) => {
      this.#arrived.push({ message, resolve, reject });
      if (this.#arrived.length === 1) void this.#handleArrived(followed);
    });
  }

  /** Handles what has arrived by then. While the store fails, or a file is missing, all later messages wait behind those that failed for it: they stay in their order. */
  async #handleArrived(followed: () => Promise<unknown>): Promise<void> {
    const { ledger, sleep, problem, closing } = this.#core;
    const late = (signal: AbortSignal) => sleep(makeRoomMillis, signal).catch(() => undefined);
    await this.#waiting.makeRoom((signal) => Promise.race([followed(), late(signal)]));
    for (let pauseMillis = firstPauseMillis; ; pauseMillis = Math.min(longestPauseMillis, 2 * pauseMillis)) {
      const failure = await ledger.inTurn((transaction) => this.#handleBatch(transaction));
      if (failure === undefined) return;
      if (!closing.aborted) problem(failure.problem);
      await sleep(pauseMillis).catch(() => undefined);
      if (!closing.aborted) continue;
      for (const { reject } of this.#arrived.splice(0)) reject(failure.problem);
      return;
    }
  }

  /**
   * Handles all in one transaction, as far as they only change what their epoch has stored: what else there is between commits it. If that fails, each message
   * is handled alone: one of them caused it. If the device is at fault, the remaining messages count as not arrived.
   */
  async #handleBatch(transaction: Transaction): Promise<{ problem: unknown } | undefined> {
    const { ledger } = this.#core;
    const arrived = this.#arrived;
    this.#arrived = [];
    let left: FollowUp[] = [];
    try {
      for (const { message } of arrived) left.push(...(await this.#handle(transaction, message)));
      await transaction.commit();
      for (const { resolve } of arrived) resolve(left.splice(0));
      return undefined;
    } catch {
      // Which one it was shows below.
    }
    for (const [at, { message, resolve, reject }] of arrived.entries()) {
      try {
        const alone = new Transaction(ledger);
        const followUps = await this.#handle(alone, message);
        await alone.commit();
        resolve([...left, ...followUps]);
        left = [];
      } catch (problem) {
        if (this.#isOwnFailure(problem)) {
          this.#arrived = [...arrived.slice(at), ...this.#arrived];
          return { problem };
        }
        reject(problem);
      }
    }
    return undefined;
  }

  /** No other message would fare better: the store has failed, or a file did not arrive. */
  #isOwnFailure(problem: unknown): boolean {
    return this.#core.ledger.isFailure(problem) || problem instanceof NotLoadedError;
  }

  /** Nothing that has waited leads into the group any more. */
  forget(transaction: Transaction, membership: Membership): void {
    for (const [key, { group }] of this.#welcomes) if (group === membership.id) transaction.remove(key);
    transaction.afterwards(() => {
      this.#welcomes = this.#welcomes.filter(([, { group }]) => group !== membership.id);
      this.#tried.delete(membership);
      if (this.#latest === membership) this.#latest = undefined;
    });
  }

  isCrowded(): boolean {
    return !this.#waiting.isStuck && this.#waiting.isCrowded();
  }

  /** Has a message that could not be handled ignored when it comes again. Rejects if this device is at fault: then the message stays in the queue. */
  async giveUp({ ciphertext, receivedAt }: IncomingMessage, problem: unknown): Promise<void> {
    const { ledger } = this.#core;
    if (this.#isOwnFailure(problem)) throw problem;
    await ledger.inTurn(async (transaction) => {
      transaction.set(keyOf(seenPrefix, encodeHex(sha256(ciphertext))), { at: receivedAt });
      await transaction.commit();
    });
  }

  /** Handles what has waited for an epoch of this group. */
  async retry(transaction: Transaction, membership: Membership): Promise<FollowUp[]> {
    const followUps: FollowUp[] = [];
    // What waits was tried with the epochs of before, unless that has failed, or the program has ended since.
    const epochs = this.#tried.delete(membership) ? 1 : maxUntried;
    for (const [hash, { key, ciphertext, ...received }] of this.#waiting.entries()) {
      const opened = membership.open(ciphertext, epochs);
      if (opened === undefined) continue;
      transaction.afterwards(() => this.#waiting.handled(hash));
      const handled = { ...received, ...opened, waiting: key };
      followUps.push(...(await receiveOpened(transaction, membership, handled)));
    }
    await transaction.commit();
    this.#tried.add(membership);
    if (membership.state === "removed") this.#devices.resume();
    if (membership.state === "removed" || membership.state === "mustRejoin")
      followUps.push(...(await this.enterAgain(transaction, membership)));
    return followUps;
  }

  /**
   * This device has followed the group as far as it can: enters it by the first Welcome that has waited, came before this number, and leads on. While it is
   * in the group, none does.
   */
  async enterAgain(
    transaction: Transaction,
    membership: Membership,
    before = Number.POSITIVE_INFINITY,
  ): Promise<FollowUp[]> {
    const isDue = (key: string) => Number(restOf(key, welcomePrefix)) < before;
    for (const found of this.#welcomes.filter(([key, { group }]) => group === membership.id && isDue(key))) {
      const [key, { sealed, groupInfo }] = found;
      transaction.remove(key);
      transaction.afterwards(() => {
        this.#welcomes = this.#welcomes.filter((one) => one !== found);
      });
      const read = await this.#read(await this.#openWelcome(sealed), groupInfo);
      if (read === undefined) await transaction.commit();
      else {
        const followUps = await this.#enterOrRefuse(transaction, read);
        if (membership.isActive) return followUps;
      }
    }
    return [];
  }

  /** Throws NotLoadedError if a Welcome that waits for the end of this membership could not be read then: once the end is stored, nothing would read it again. */
  async demandReadable({ id }: Membership): Promise<void> {
    for (const [, { group, sealed, groupInfo }] of this.#welcomes)
      if (group === id) await this.#read(await this.#openWelcome(sealed), groupInfo);
  }

  async #handle(transaction: Transaction, message: IncomingMessage): Promise<FollowUp[]> {
    const { messageId, ciphertext, receivedAt: receivedAtSeconds, online } = message;
    const kind = kindOfEnvelope(ciphertext);
    if (kind === undefined) return [];
    const hash = encodeHex(sha256(ciphertext));
    if ((await transaction.get(keyOf(seenPrefix, hash))) !== undefined) return [];
    const found = kind === "welcome" ? undefined : this.#open(ciphertext);
    if (found !== undefined)
      return receiveOpened(transaction, found.membership, { ...found.opened, hash, messageId, receivedAtSeconds });
    // What follows reads what the messages before have changed.
    await transaction.commit();
    if (kind === "welcome") return this.#join(transaction, { sealed: ciphertext, hash, messageId, receivedAtSeconds });
    // What is only for those who are online is not kept for later.
    if (online) return [];
    return this.#handleUnknown(transaction, { hash, messageId, ciphertext, receivedAtSeconds });
  }

  /** A request to be added, or something of an epoch that this device has not entered. */
  async #handleUnknown(transaction: Transaction, entry: Waiting): Promise<FollowUp[]> {
    const followUps = await this.#devices.handle(transaction, entry);
    if (followUps !== undefined) return followUps;
    const all = this.#parts.memberships.values();
    const found = await this.#requests.open(all, entry.ciphertext, this.#core.nowMillis());
    if (found === undefined) return this.#keep(transaction, entry);
    return handleRequest(transaction, found.membership, { ...found, ...entry });
  }

  #open(ciphertext: Uint8Array): { membership: Membership; opened: Opened } | undefined {
    // What waits is often of one group.
    const latest = this.#latest === undefined ? [] : [this.#latest];
    for (const membership of new Set([...latest, ...this.#parts.memberships.values()])) {
      const opened = membership.open(ciphertext);
      if (opened === undefined) continue;
      this.#latest = membership;
      return { membership, opened };
    }
    return undefined;
  }

  async #keep(transaction: Transaction, entry: Waiting): Promise<FollowUp[]> {
    if (this.#waiting.has(entry.hash)) return [];
    const { key } = transaction.add(waitingPrefix, entry);
    transaction.afterwards(() => this.#waiting.add(entry.hash, { ...entry, key }));
    const oldest = this.#core.nowMillis() / 1000 - maxKeptSeconds;
    for (const [hash, old] of this.#waiting.surplus((one) => one.receivedAtSeconds < oldest, { ...entry, key })) {
      transaction.remove(old.key);
      transaction.afterwards(() => this.#waiting.drop(hash));
    }
    await transaction.commit();
    return [{ kind: "waiting" }];
  }

  /** The GroupInfo of a Welcome was fetched. Commits the transaction. */
  async arrived(transaction: Transaction, sealed: Uint8Array, groupInfo: Uint8Array): Promise<FollowUp[]> {
    const read = await this.#read(await this.#openWelcome(sealed), groupInfo);
    if (read !== undefined) return this.#enterOrWait(transaction, read, { sealed, groupInfo });
    await transaction.commit();
    return [];
  }

  async #join(
    transaction: Transaction,
    {
      sealed,
      hash,
      messageId,
      receivedAtSeconds,
    }: { sealed: Uint8Array; hash: string; messageId: string; receivedAtSeconds: number },
  ): Promise<FollowUp[]> {
    const opened = await this.#openWelcome(sealed);
    const seen = () => transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
    if (opened !== undefined && opened.welcome === undefined) {
      const asked = this.#packages.refused(transaction, opened.own);
      const isIn = asked !== undefined && this.#parts.memberships.get(asked.group)?.isActive === true;
      if (asked !== undefined && !isIn) transaction.event({ type: "joinRefused", ...asked });
      seen();
      await transaction.commit();
      return [];
    }
    if (opened?.own.isForRequest !== true && !canBeReported(messageId, opened?.handle)) {
      // Nobody has asked for it, and nobody could report it.
      seen();
      await transaction.commit();
      return [];
    }
    if (opened?.reference !== undefined) {
      if (!this.#arrivals.keep(transaction, { reference: opened.reference, sealed })) return [];
      seen();
      await transaction.commit();
      return [];
    }
    const read = await this.#read(opened);
    if (read === undefined) return [];
    // The key package of last resort is not used up: the Welcome would bring back somebody who has left.
    seen();
    return this.#enterOrWait(transaction, read, { sealed });
  }

  async #enterOrWait(transaction: Transaction, read: Joined, rest: Omit<WaitingWelcome, "group">): Promise<FollowUp[]> {
    if (!read.old?.isActive) return this.#enterOrRefuse(transaction, read);
    // Nothing follows a group that the user has not accepted, so its last Welcome alone may lead on.
    const earlier = read.old.isAccepted ? [] : this.#welcomes.filter(([, { group }]) => group === read.old?.id);
    for (const [key] of earlier) transaction.remove(key);
    transaction.afterwards(() => {
      this.#welcomes = this.#welcomes.filter((one) => !earlier.includes(one));
    });
    if (this.#welcomes.length < maxWelcomes) {
      const entry: WaitingWelcome = { group: read.old.id, ...rest };
      const { key } = transaction.add(welcomePrefix, entry);
      transaction.afterwards(() => this.#welcomes.push([key, entry]));
    }
    await transaction.commit();
    return [{ kind: "follow", group: read.old.id }];
  }

  /** Undefined if it was made for no key package of this device, or is malformed. */
  async #openWelcome(sealed: Uint8Array) {
    const opened = await openWelcome(this.#packages.inOrder(), sealed);
    if (opened === undefined) return undefined;
    try {
      return { ...readJoinerWelcome(opened.welcome, this.#core.device.connection.url), own: opened.keyPackage };
    } catch (what) {
      this.#core.problem(what);
      return undefined;
    }
  }

  /** Undefined if it leads this device nowhere. */
  async #read(
    opened: { welcome?: Uint8Array; own: Joined["own"]; proof?: Proof | undefined } | undefined,
    groupInfo?: Uint8Array,
  ): Promise<Joined | undefined> {
    if (opened?.welcome === undefined) return undefined;
    const { mls, problem } = this.#core;
    const { own } = opened;
    try {
      const welcome = groupInfo === undefined ? opened.welcome : withGroupInfo(opened.welcome, groupInfo);
      const { state, signer } = await mls.join({ welcome, own });
      const view = mls.view(state);
      const inviter = membersOf(view).find(({ id }) => id === signer);
      const context = readGroupContext(view.extension(groupContextType));
      const old = this.#parts.memberships.get(encodeHex(view.groupId));
      // Beyond these bounds, everything would be sent to more devices than any group has.
      const isRefused = isFalseDirectChat(view) || !isWithinBounds(view);
      return context === undefined || isRefused ? undefined : { own, state, inviter, old, proof: opened.proof };
    } catch (what) {
      if (what instanceof NotLoadedError) throw what;
      problem(what);
      return undefined;
    }
  }

  /** Anybody can create another group with an id that this device knows, so it joins only a continuation of the group that it knows. */
  async #enterOrRefuse(transaction: Transaction, { own, state, inviter, old, proof }: Joined): Promise<FollowUp[]> {
    const view = this.#core.mls.view(state);
    const group = encodeHex(view.groupId);
    const isDirect = directUserIn(view) !== undefined;
    const signer = view.leaves.filter(({ index }) => index === inviter?.id);
    const isOutdated = inviter !== undefined && this.#core.users.outdatedIn(signer, inviter.user) > 0;
    const consent = this.#consents.judge({ group, asked: own.asked?.group, old, inviter, isOutdated, isDirect });
    if (consent === undefined) {
      this.#packages.use(transaction, own);
      await transaction.commit();
      return [];
    }
    const continued: Awaited<ReturnType<typeof continuationOf>> =
      old === undefined ? { followed: [] } : await continuationOf(transaction, old, { state, proof });
    if (continued === undefined) {
      if (old !== undefined) await refuseWelcome(transaction, old);
      return [];
    }
    this.#packages.use(transaction, own);
    const consented = { consent, invitedBy: inviter };
    const membership = await enterGroup(transaction, this.#parts, { state, old, ...continued, ...consented });
    const followUps = this.#devices.addTo(transaction, membership);
    const [first] = continued.followed;
    if (first !== undefined && first.content.length > 0) followUps.push({ kind: "review", group, epoch: first.epoch });
    return [
      ...followUps,
      { kind: "change", group },
      { kind: "follow", group },
      ...(await this.retry(transaction, membership)),
    ];
  }
}
