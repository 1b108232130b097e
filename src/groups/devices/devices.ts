// The devices of one user. A new device gets the user's key as linking.ts says, and then asks the old one, which adds it to all its groups and
// sends what was written before as an encrypted file.

import { loaded, openEnvelope, sealMessages } from "../../client/index.js";
import { utf8 } from "../../protocol/encodings.js";
import { type Consents, userOf } from "../membership/consent.js";
import { doorKeysOf } from "../membership/door-keys.js";
import type { FollowUp } from "../membership/follow-ups.js";
import { declineGroup } from "../membership/leaving.js";
import type { Membership } from "../membership/membership.js";
import { wantChange } from "../membership/waiting-changes.js";
import { lastKeyOf } from "../mls/user-keys.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Outbox } from "../sending/outbox.js";
import { callLater, retryLater } from "../sending/retry.js";
import type { Transaction } from "../store/ledger.js";
import { demandMessages } from "../store/messages.js";
import {
  accountKey,
  askedKey,
  askKey,
  historyPrefix,
  type Key,
  keyOf,
  linkPrefix,
  seenPrefix,
} from "../store/record-keys.js";
import type { Link, Recovery } from "../store/records.js";
import { addLinkedDevices } from "./adding-linked-devices.js";
import { setBlocked } from "./blocked-users.js";
import { type DeviceMessage, type NewKey, readDeviceMessage } from "./device-messages.js";
import type { KeyPackages } from "./key-packages.js";
import type { CompareOptions } from "./linking.js";
import {
  blockedIn,
  hasUntold,
  type LocalNews,
  loadPeople,
  setLocal,
  setRead,
  takeLocal,
  takeUntold,
  userPrefix,
} from "./local-state.js";
import { endOfRecoveryKey } from "./recovery-key-end.js";
import { nextUserKey, removeUnlinked, takeUserKey } from "./unlinking.js";

/** What the user sets within this time is told together: a draft changes with each key. */
const togetherMillis = 3_000;

interface DevicesParts {
  outbox: Outbox;
  memberships: ReadonlyMap<string, Membership>;
  consents: Consents;
  packages: KeyPackages;
}

export class Devices {
  readonly #core: DeviceCore;
  readonly #outbox: Outbox;
  readonly #memberships: ReadonlyMap<string, Membership>;
  readonly #consents: Consents;
  readonly #packages: KeyPackages;
  /** Links of this device, by the keys of their records. */
  #links: [key: Key<Link>, Link][] = [];
  /** What listens to devices that are being linked, by the secrets that seal what they say. */
  readonly #linking = new Map<Uint8Array, (message: unknown) => void>();
  #last: Promise<void> = Promise.resolve();
  readonly #resumeAgain = () => this.resume();
  readonly #share = () => void this.#tellUntold().catch(this.#core.problem);
  readonly #tellLater = () => callLater(this.#core.sleep, togetherMillis, this.#share);

  constructor(core: DeviceCore, { outbox, memberships, consents, packages }: DevicesParts) {
    this.#core = core;
    this.#consents = consents;
    this.#packages = packages;
    this.#outbox = outbox;
    this.#memberships = memberships;
  }

  async load(): Promise<void> {
    const { ledger } = this.#core;
    this.#links = await ledger.readAll(linkPrefix);
    await loadPeople(ledger, this.#core.account.user);
    if (await hasUntold(ledger)) this.#tellLater();
  }

  /** Goes on with what a crash or a failure has left: asking, sending the history, taking it. */
  resume(): void {
    this.#last = this.#last.then(() => this.#resume());
  }

  async #resume(): Promise<void> {
    const { ledger } = this.#core;
    if (this.#core.closing.aborted) return;
    try {
      const mustAsk = await this.#wasRemoved();
      // The others add this device by its packages.
      if (mustAsk) await this.#packages.renew();
      if (mustAsk || (await ledger.store.get(askKey)) !== undefined) await this.#ask();
      await this.#packages.renew();
      for (const [key, { link, reference, at }] of await ledger.readAll(historyPrefix)) {
        const { takeHistory } = await loaded(import("./history.js"));
        const work =
          reference === undefined ? this.#sendHistory(key, link) : takeHistory(this.#core, key, { reference, at });
        // One that fails holds up no others.
        await work.catch((problem: unknown) => retryLater(this.#core, problem, this.#resumeAgain));
      }
    } catch (problem) {
      retryLater(this.#core, problem, this.#resumeAgain);
    }
  }

  /** Whether other devices of the user have not waited for this one to get the user's key, and it has not asked since to be added again. */
  async #wasRemoved(): Promise<boolean> {
    const { ledger, account } = this.#core;
    const isByUser = ({ state, stored }: Membership) =>
      state === "removed" && userOf(stored.removedBy) === account.user;
    const hasLater = account.successors.length > 0 && [...this.#memberships.values()].some(isByUser);
    return hasLater && (await ledger.read(askedKey))?.userKey !== lastKeyOf(account);
  }

  /** On the old device. */
  async link(qr: string, { compare }: CompareOptions): Promise<void> {
    const { giveLink } = await loaded(import("./linking.js"));
    const keep = (entry: [key: Key<Link>, Link]) => this.#links.push(entry);
    const parts = { linking: this.#linking, outbox: this.#outbox, prefix: linkPrefix, keep };
    await giveLink(this.#core, { qr, compare, ...parts });
  }

  /** Handles a message of another device of the user; undefined if it is none. Commits the transaction. */
  async handle(
    transaction: Transaction,
    { hash, ciphertext, receivedAtSeconds }: { hash: string; ciphertext: Uint8Array; receivedAtSeconds: number },
  ): Promise<FollowUp[] | undefined> {
    for (const [secret, listener] of this.#linking) {
      const content = openEnvelope(await doorKeysOf(secret), ciphertext);
      if (content === undefined) continue;
      const message: unknown = JSON.parse(new TextDecoder().decode(content));
      transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
      transaction.afterwards(() => listener(message));
      await transaction.commit();
      return [];
    }
    for (const [key, link] of this.#links) {
      const content = openEnvelope(await doorKeysOf(link.secret), ciphertext);
      if (content === undefined) continue;
      transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
      const message = readDeviceMessage(content);
      if (message === undefined) {
        await transaction.commit();
        return [];
      }
      // A device that could give itself out for another one would be forgotten in its place when it is unlinked, and be told the user's next key.
      const isNew = message.type === "link" && (link.device === undefined || link.device === message.device);
      const followUps = isNew ? await this.#addDevice(transaction, key, { ...link, ...message }) : [];
      if (message.type === "unlink") followUps.push(...(await this.#dropDevice(transaction, message, link)));
      if (message.type === "recovery") {
        followUps.push(...this.#setRecovery(transaction, message.recovery));
        await this.#tell(transaction, message, link);
      }
      if (message.type === "recoveryEnded")
        followUps.push(...(await this.#endRecovery(transaction, message.publicKey)));
      if (message.type === "local") {
        const news = await takeLocal(transaction, message.groups, this.#core.nowMillis());
        await this.#tellLocal(transaction, news, link);
        for (const user of blockedIn(news)) await this.#consents.declineOf(transaction, user);
      }
      if (message.type === "consent") followUps.push(...(await this.#takeConsent(transaction, message, link)));
      if (message.type === "history" && link.isAsked) {
        this.#setLink(transaction, key, { ...link, isAsked: undefined });
        transaction.add(historyPrefix, { link: key, reference: message.reference, at: receivedAtSeconds });
      }
      await transaction.commit();
      this.resume();
      return followUps;
    }
    return undefined;
  }

  /** Sets what the user keeps for themself of a group or a user, on all their devices. `note` stores what belongs to it. */
  async setLocal(
    of: { group: string } | { user: string },
    changes: Record<string, unknown>,
    note?: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    await ledger.inTurn(async (transaction) => {
      const group = "user" in of ? userPrefix + of.user : of.group;
      if ("group" in of && !this.#memberships.has(group)) throw new Error("this device has forgotten the group");
      await setLocal(transaction, { group, changes, nowMillis: nowMillis() });
      await note?.(transaction);
      transaction.afterwards(this.#tellLater);
      await transaction.commit();
    });
  }

  /** Blocks a user on all devices of this one, or takes that back. */
  async setBlocked(user: string, isBlocked: boolean): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    await ledger.inTurn(async (transaction) => {
      await setBlocked(transaction, { user, isBlocked, nowMillis: nowMillis() });
      transaction.afterwards(this.#tellLater);
      if (isBlocked) await this.#consents.declineOf(transaction, user);
      await transaction.commit();
    });
  }

  /** Notes that the user has read a message and all before it, on all their devices. */
  async setRead(group: string, id: string): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    await ledger.inTurn(async (transaction) => {
      await demandMessages(transaction, { group, ids: [id] });
      await setRead(ledger, transaction, { group, id, nowMillis: nowMillis() });
      transaction.afterwards(this.#tellLater);
      await transaction.commit();
    });
  }

  /** Many changes in a row are one message to each device. */
  async #tellUntold(): Promise<void> {
    await this.#core.ledger.inTurn(async (transaction) => {
      for (const groups of await takeUntold(transaction)) await this.#tellLocal(transaction, groups);
      await transaction.commit();
    });
  }

  /** Tells the other devices, each of which tells those that are linked to it. */
  async #tellLocal(transaction: Transaction, groups: LocalNews, from?: Link): Promise<void> {
    if (Object.values(groups).every((entries) => Object.keys(entries).length === 0)) return;
    await this.#tell(transaction, { type: "local", groups }, from);
  }

  async #tell(transaction: Transaction, message: DeviceMessage, from?: Link): Promise<void> {
    const unlinked = message.type === "unlink" ? message.device : undefined;
    const others = this.#links.map(([, link]) => link).filter((link) => link !== from && link.device !== unlinked);
    for (const link of others)
      if (link.address !== "") this.#outbox.post(transaction, await this.#sealed(link, message));
  }

  /** The user's recovery key from now on; without one, none. The leaves of this device get it. */
  #setRecovery(transaction: Transaction, recovery: Recovery | undefined): FollowUp[] {
    const { account } = this.#core;
    transaction.set(accountKey, { ...account, recovery });
    transaction.afterwards(() => {
      account.recovery = recovery;
    });
    return [...this.#memberships.values()].flatMap((membership): FollowUp[] => {
      if (!membership.isFollowed) return [];
      wantChange(transaction, membership, { kind: "address" });
      return [{ kind: "change", group: membership.id }];
    });
  }

  /** Ends the recovery key if it has to end. */
  async #endRecovery(transaction: Transaction, publicKey?: string): Promise<FollowUp[]> {
    const ended = endOfRecoveryKey(this.#core.account, publicKey);
    if (ended === undefined) return [];
    await this.#tell(transaction, ended);
    return this.#setRecovery(transaction, undefined);
  }

  /** The user has made another recovery key on this device. */
  async setRecovery(recovery: Recovery): Promise<FollowUp[]> {
    return this.#core.ledger.inTurn(async (transaction) => {
      const followUps = this.#setRecovery(transaction, recovery);
      await this.#tell(transaction, { type: "recovery", recovery });
      await transaction.commit();
      return followUps;
    });
  }

  /** Tells the other devices whether the user takes part in a group: people may have added them, too. */
  async tellConsent(
    transaction: Transaction,
    { id: group, invitedBy }: Membership,
    isAccepted: boolean,
  ): Promise<void> {
    await this.#tell(transaction, { type: "consent", group, isAccepted, by: userOf(invitedBy) });
  }

  async #takeConsent(
    transaction: Transaction,
    message: Extract<DeviceMessage, { type: "consent" }>,
    from: Link,
  ): Promise<FollowUp[]> {
    const { group, isAccepted, by } = message;
    const membership = this.#memberships.get(group);
    await this.#tell(transaction, message, from);
    if (!isAccepted) {
      this.#consents.deny(transaction, by);
      if (membership?.isAccepted === false || membership?.state === "left") await declineGroup(transaction, membership);
      return [];
    }
    if (membership === undefined || membership.isAccepted) return [];
    await this.#consents.accept(transaction, membership);
    return [{ kind: "follow", group }, { kind: "change", group }, ...this.addTo(transaction, membership)];
  }

  async #addDevice(transaction: Transaction, key: Key<Link>, { secret, address, device = "", isAsked }: Link) {
    const link: Link = { secret, address, device, isAsked };
    this.#setLink(transaction, key, link);
    const work = await transaction.readAll(historyPrefix);
    // A device that asks again and again gets its history once at a time.
    if (!work.some(([, one]) => one.link === key && one.reference === undefined))
      transaction.add(historyPrefix, { link: key });
    return [...this.#memberships.values()].flatMap((membership) => this.#addTo(transaction, membership, [link]));
  }

  #setLink(transaction: Transaction, key: Key<Link>, link: Link): void {
    transaction.set(key, link);
    transaction.afterwards(() => {
      this.#links = this.#links.map((one) => (one[0] === key ? [key, link] : one));
    });
  }

  /** Adds the devices that are linked to this one to a group that it has created or joined. Each of them adds its own linked devices. */
  addTo(transaction: Transaction, membership: Membership): FollowUp[] {
    return this.#addTo(
      transaction,
      membership,
      this.#links.map(([, link]) => link),
    );
  }

  #addTo(transaction: Transaction, membership: Membership, links: readonly Link[]): FollowUp[] {
    const addresses = links.map((link) => this.#addressOf(link));
    return addLinkedDevices(transaction, membership, { addresses, core: this.#core });
  }

  /** It may have moved since it was linked: the groups know. */
  #addressOf({ device, address }: Link): string {
    const members = [...this.#memberships.values()].flatMap((membership) => membership.members());
    const known = members.find((one) => one.device === device && one.user === this.#core.account.user);
    return known?.address || address;
  }

  /** Removes a device of the user from all groups, has the other devices forget it, too, and replaces the key that it had. */
  async unlink(device: string): Promise<FollowUp[]> {
    const { ledger, account } = this.#core;
    const known = this.#links.some(([, link]) => link.device === device);
    const isMember = [...this.#memberships.values()].some((membership) =>
      membership.members().some((one) => one.device === device && one.user === account.user),
    );
    if (!known && !isMember) throw new Error("the user has no such device");
    return ledger.inTurn(async (transaction) => {
      const followUps = await this.#dropDevice(transaction, { device, key: nextUserKey(this.#core) });
      await transaction.commit();
      this.resume();
      return followUps;
    });
  }

  /** Each device tells those that are linked to it. */
  async #dropDevice(
    transaction: Transaction,
    { device, key }: { device: string; key?: NewKey },
    from?: Link,
  ): Promise<FollowUp[]> {
    const { user } = this.#core.account;
    const by = { account: this.#core.account, packages: this.#packages };
    const isKeyNew = key !== undefined && takeUserKey(transaction, key, by);
    for (const [key] of this.#links.filter(([, link]) => link.device === device)) transaction.remove(key);
    transaction.afterwards(() => {
      this.#links = this.#links.filter(([, link]) => link.device !== device);
    });
    this.#consents.forgetDenied(transaction);
    await this.#tell(transaction, { type: "unlink", device, ...(key && { key }) }, from);
    const renewed = await this.#endRecovery(transaction);
    const unlinked = { user, device, isKeyNew, nowMillis: this.#core.nowMillis() };
    const removed = [...this.#memberships.values()].flatMap((membership): FollowUp[] => {
      if (!membership.isActive) return [];
      removeUnlinked(transaction, membership, unlinked);
      return [{ kind: "change", group: membership.id }];
    });
    return [...renewed, ...removed];
  }

  async #ask(): Promise<void> {
    const { ledger, account, device } = this.#core;
    const links = this.#links.filter(([, { address }]) => address !== "");
    const about = { type: "link", address: account.address, device: device.deviceId } as const;
    const items = await Promise.all(links.map(([, link]) => this.#sealed(link, about)));
    await ledger.inTurn(async (transaction) => {
      for (const [key, link] of this.#links)
        if (link.address !== "") this.#setLink(transaction, key, { ...link, isAsked: true });
      transaction.remove(askKey);
      transaction.set(askedKey, { userKey: lastKeyOf(account) });
      for (const item of items) this.#outbox.post(transaction, item);
      await transaction.commit();
    });
  }

  async #sendHistory(key: string, linkKey: string): Promise<void> {
    const { ledger } = this.#core;
    const [, link] = this.#links.find(([one]) => one === linkKey) ?? [];
    if (link === undefined) return void (await ledger.store.write([[key, undefined]]));
    const { allLocal, uploadHistory } = await loaded(import("./history.js"));
    const reference = await uploadHistory(this.#core);
    const local = (await allLocal(this.#core)).map((groups) => ({ type: "local", groups }) as const);
    const told = [{ type: "history", reference } as const, ...local];
    const items = await Promise.all(told.map((message) => this.#sealed(link, message)));
    await ledger.inTurn(async (transaction) => {
      transaction.remove(key);
      for (const item of items) this.#outbox.post(transaction, item);
      await transaction.commit();
    });
  }

  async #sealed(link: Link, message: DeviceMessage) {
    const content = utf8(JSON.stringify(message));
    const keys = await doorKeysOf(link.secret);
    const sealed = { to: [this.#addressOf(link)], content, keys, isAutomatic: true };
    const copies = await sealMessages(sealed, this.#core.sealing);
    return { group: "", copies, createdAtMillis: this.#core.nowMillis() };
  }
}
