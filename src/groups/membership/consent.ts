// Whether this device takes part in a group that others have added it to. Until the user accepts a group of strangers, this device sends nothing to its members, asks nobody about
// it, follows no commits, and stores a bounded number of its messages. It has been added all the same: only it can say that it is not interested.

import type { Member } from "../mls/members.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Transaction } from "../store/ledger.js";
import { deniedPrefix, keyOf, restOf, unacceptedPrefix } from "../store/record-keys.js";
import type { Consent } from "../store/records.js";
import { directUserOf } from "./direct-chats.js";
import { acceptGroup } from "./entering.js";
import { declineGroup } from "./leaving.js";
import type { Membership } from "./membership.js";

/** The most requests that wait for the user. Beyond it another one is ignored, so that a flood does not push out the others. */
const maxUnknown = 50;
/** Users whose requests are ignored, because one of theirs was declined. The oldest make way. */
const maxDenied = 1_000;
/** Groups in which a user is only because another one, whom they know from a group of both, has added them. */
const maxByMember = 32;
/** Of a group that the user has not accepted, so much is stored. Later messages are ignored. */
const maxUnacceptedMessages = 100;
const maxUnacceptedBytes = 256 * 1024;

/** A Welcome, as far as it matters whether it needs the user's consent. */
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
  /** Users, the one that was declined first is the first. */
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
    // Others have removed this device, or it has lost the group: it was the user's choice to be in it.
    if (old !== undefined && old.state !== "left") return old.consent;
    if (this.#denied.has(user) || this.#core.ledger.people.blocked.has(user)) return undefined;
    // A user who has left is asked again, also by people they know, and if all groups are accepted.
    const isKnown = !isOutdated && (this.#autoAccept || this.#isKnown(user, isDirect));
    if (old === undefined && isKnown) return "allowed";
    const unknown = [...this.#memberships.values()].filter((one) => one.isActive && !one.isAccepted);
    return unknown.length < maxUnknown ? "unknown" : undefined;
  }

  /** Anyone may have come into a group of both, so that does not suffice for a direct chat, which makes the other one a contact. */
  #isKnown(user: string, isDirect: boolean): boolean {
    if (user === "") return false;
    if (this.#core.users.isVerified(user)) return true;
    const followed = [...this.#memberships.values()].filter(({ isFollowed }) => isFollowed);
    if (followed.some((one) => directUserOf(one) === user)) return true;
    const isOf = (one: Member) => one.isSigned && one.user === user;
    const added = followed.filter(({ invitedBy }) => userOf(invitedBy) === user);
    return !isDirect && added.length < maxByMember && followed.some((one) => one.members().some(isOf));
  }

  /** Takes part from now on, and hears requests of the member who has added this device. Commits the transaction. */
  async accept(transaction: Transaction, membership: Membership): Promise<void> {
    const user = userOf(membership.invitedBy);
    transaction.remove(keyOf(deniedPrefix, user));
    transaction.afterwards(() => void this.#denied.delete(user));
    await acceptGroup(transaction, membership);
  }

  /** Leaves the group, and hears neither of it nor of the member who has added this device. Commits the transaction. */
  async decline(transaction: Transaction, membership: Membership): Promise<void> {
    this.deny(transaction, userOf(membership.invitedBy));
    await declineGroup(transaction, membership);
  }

  /** Declines what a user has added this device to and is still a request. May commit the transaction. */
  async declineOf(transaction: Transaction, user: string): Promise<void> {
    for (const membership of this.#memberships.values()) {
      const isRequest = membership.isActive && !membership.isAccepted;
      if (isRequest && userOf(membership.invitedBy) === user) await declineGroup(transaction, membership);
    }
  }

  /** Hears requests of everybody again: a lost device may have declined for the user. */
  forgetDenied(transaction: Transaction): void {
    for (const user of this.#denied) transaction.remove(keyOf(deniedPrefix, user));
    transaction.afterwards(() => this.#denied.clear());
  }

  /** Hears no requests of a user. */
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

/** Takes room for one more message of a group that the user has not accepted. False if there is none. */
export async function takesRoom(transaction: Transaction, group: string, bytes: number): Promise<boolean> {
  const key = keyOf(unacceptedPrefix, group);
  const kept = (await transaction.read(key)) ?? { messages: 0, bytes: 0 };
  const next = { messages: kept.messages + 1, bytes: kept.bytes + bytes };
  if (next.messages > maxUnacceptedMessages || next.bytes > maxUnacceptedBytes) return false;
  transaction.set(key, next);
  return true;
}

/** Empty if nobody has proved to be it. */
export function userOf(member: Member | undefined): string {
  return member?.isSigned ? member.user : "";
}
