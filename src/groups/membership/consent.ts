// Whether this device takes part in a group that others have added it to. Until the user accepts a group of strangers, this device sends nothing
// to its members, asks nobody about it, follows no commits, and stores a bounded number of its messages. It is a member of the group all the same.

import type { Member } from "../mls/members.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Transaction } from "../store/ledger.js";
import { deniedPrefix, keyOf, restOf, unacceptedPrefix } from "../store/record-keys.js";
import type { Consent } from "../store/records.js";
import { directUserOf } from "./direct-chats.js";
import { acceptGroup } from "./entering.js";
import { declineGroup } from "./leaving.js";
import type { Membership } from "./membership.js";

/** The most requests that wait for the user. Further ones are ignored, so that a flood cannot push out the others. */
const maxUnknown = 50;
/** Users whose requests are ignored because the user declined one. The oldest are forgotten. */
const maxDenied = 1_000;
/** How many groups a user is in only because somebody they share another group with has added them. */
const maxByMember = 32;
/** How much is stored of a group that the user has not accepted. Later messages are ignored. */
const maxUnacceptedMessages = 100;
const maxUnacceptedBytes = 256 * 1024;

/** The parts of a Welcome that decide whether it needs the user's consent. */
interface Welcomed {
  group: string;
  /** The group that the user has asked to be added to with the key package of the Welcome. */
  asked: string | undefined;
  /** The membership that it continues. */
  old: Membership | undefined;
  /** Who has signed the GroupInfo; undefined if the library does not say. */
  inviter: Member | undefined;
  /** Whether the inviter is in the group by an earlier key of their user than this device knows, as a device that was lost. */
  isOutdated: boolean;
  isDirect: boolean;
}

interface ConsentsOptions {
  memberships: ReadonlyMap<string, Membership>;
  /** Whether all groups but those of declined users are accepted. */
  autoAccept: boolean;
}

export class Consents {
  readonly #core: DeviceCore;
  readonly #memberships: ReadonlyMap<string, Membership>;
  readonly #autoAccept: boolean;
  /** Users, in the order in which they were declined. */
  readonly #denied = new Set<string>();

  constructor(core: DeviceCore, { memberships, autoAccept }: ConsentsOptions) {
    this.#core = core;
    this.#memberships = memberships;
    this.#autoAccept = autoAccept;
  }

  async load(): Promise<void> {
    const stored = await this.#core.ledger.readAll(deniedPrefix);
    for (const [key] of stored.sort(([, one], [, other]) => one.atMillis - other.atMillis))
      this.#denied.add(restOf(key, deniedPrefix));
  }

  /** Undefined if the Welcome should be ignored. */
  judge({ group, asked, old, inviter, isOutdated, isDirect }: Welcomed): Consent | undefined {
    // The members who got the key package could add this device to another group with it.
    const user = userOf(inviter);
    if (asked === group || (user === this.#core.account.user && !isOutdated)) return "allowed";
    if (old?.consent === "denied") return undefined;
    // Others removed this device, or it lost the group. The user had chosen to be in it.
    if (old !== undefined && old.state !== "left") return old.consent;
    if (this.#denied.has(user) || this.#core.ledger.people.blocked.has(user)) return undefined;
    // A user who has left is always asked again, even if people they know have added them or all groups are accepted.
    const isKnown = !isOutdated && (this.#autoAccept || this.#isKnown(user, isDirect));
    if (old === undefined && isKnown) return "allowed";
    const unknown = [...this.#memberships.values()].filter((one) => one.isActive && !one.isAccepted);
    return unknown.length < maxUnknown ? "unknown" : undefined;
  }

  /** Anyone may have joined a shared group, so sharing one does not suffice for a direct chat, which makes the other user a contact. */
  #isKnown(user: string, isDirect: boolean): boolean {
    if (user === "") return false;
    if (this.#core.users.isVerified(user)) return true;
    const followed = [...this.#memberships.values()].filter(({ isFollowed }) => isFollowed);
    if (followed.some((one) => directUserOf(one) === user)) return true;
    const isOf = (one: Member) => one.isSigned && one.user === user;
    const added = followed.filter(({ invitedBy }) => userOf(invitedBy) === user);
    return !isDirect && added.length < maxByMember && followed.some((one) => one.members().some(isOf));
  }

  /** Takes part from now on, and allows requests of the member who added this device. Commits the transaction. */
  async accept(transaction: Transaction, membership: Membership): Promise<void> {
    const user = userOf(membership.invitedBy);
    transaction.remove(keyOf(deniedPrefix, user));
    transaction.afterwards(() => void this.#denied.delete(user));
    await acceptGroup(transaction, membership);
  }

  /** Leaves the group, and ignores later requests of the member who added this device. Commits the transaction. */
  async decline(transaction: Transaction, membership: Membership): Promise<void> {
    this.deny(transaction, userOf(membership.invitedBy));
    await declineGroup(transaction, membership);
  }

  /** Declines all open requests of a user. May commit the transaction. */
  async declineOf(transaction: Transaction, user: string): Promise<void> {
    for (const membership of this.#memberships.values()) {
      const isRequest = membership.isActive && !membership.isAccepted;
      if (isRequest && userOf(membership.invitedBy) === user) await declineGroup(transaction, membership);
    }
  }

  /** Allows everybody's requests again: a lost device may have declined for the user. */
  forgetDenied(transaction: Transaction): void {
    for (const user of this.#denied) transaction.remove(keyOf(deniedPrefix, user));
    transaction.afterwards(() => this.#denied.clear());
  }

  /** Ignores requests of a user. */
  deny(transaction: Transaction, user: string): void {
    if (user !== "" && user !== this.#core.account.user) {
      transaction.set(keyOf(deniedPrefix, user), { atMillis: this.#core.nowMillis() });
      const [oldest] = this.#denied.size < maxDenied || this.#denied.has(user) ? [] : this.#denied;
      if (oldest !== undefined) transaction.remove(keyOf(deniedPrefix, oldest));
      transaction.afterwards(() => {
        if (oldest !== undefined) this.#denied.delete(oldest);
        this.#denied.add(user);
      });
    }
  }
}

/** Reserves room for one more message of a group that the user has not accepted. False if there is none. */
export async function takesRoom(transaction: Transaction, group: string, bytes: number): Promise<boolean> {
  const key = keyOf(unacceptedPrefix, group);
  const kept = (await transaction.read(key)) ?? { messages: 0, bytes: 0 };
  const next = { messages: kept.messages + 1, bytes: kept.bytes + bytes };
  if (next.messages > maxUnacceptedMessages || next.bytes > maxUnacceptedBytes) return false;
  transaction.set(key, next);
  return true;
}

/** Empty if nobody has proved to be that user. */
export function userOf(member: Member | undefined): string {
  return member?.isSigned ? member.user : "";
}
