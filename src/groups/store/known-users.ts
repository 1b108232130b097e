// What this device knows of other users: the last key that it has seen of each, and whether the user has verified them.

import { equalBytes } from "../../protocol/encodings.js";
import { userKeysOf } from "../mls/members.js";
import type { GroupView, Leaf } from "../mls/mls.js";
import { areBefore, lastKeyOf, type UserKeys } from "../mls/user-keys.js";
import type { Ledger, Transaction } from "./ledger.js";
import { keyOf, restOf, userKeysPrefix, verifiedPrefix } from "./record-keys.js";

/** Users whose key was replaced. */
const maxReplaced = 10_000;

interface Known {
  /** All of the user's. */
  keys: readonly string[];
  /** The group that has shown the first of them. */
  group: string;
}

export class Users {
  readonly #ledger: Ledger;
  readonly #account: UserKeys;
  readonly #verified = new Set<string>();
  /** Those whose key was replaced. */
  readonly #known = new Map<string, Known>();

  constructor(ledger: Ledger, account: UserKeys) {
    this.#ledger = ledger;
    this.#account = account;
  }

  async load(): Promise<void> {
    for (const [key] of await this.#ledger.readAll(verifiedPrefix)) this.#verified.add(restOf(key, verifiedPrefix));
    for (const [key, known] of await this.#ledger.readAll(userKeysPrefix))
      this.#known.set(restOf(key, userKeysPrefix), known);
  }

  isVerified(user: string): boolean {
    return this.#verified.has(user);
  }

  setVerified(transaction: Transaction, user: string, isVerified: boolean): void {
    if (isVerified) transaction.set(keyOf(verifiedPrefix, user), {});
    else transaction.remove(keyOf(verifiedPrefix, user));
    transaction.afterwards(() => void (isVerified ? this.#verified.add(user) : this.#verified.delete(user)));
  }

  /** The last key of a user, as far as this device knows. */
  lastKeyOf(user: string): string {
    if (user === this.#account.user) return lastKeyOf(this.#account);
    return this.#known.get(user)?.keys.at(-1) ?? user;
  }

  /** Whether these are keys of a user that lead to the last one which this device knows, or go on from it. */
  areKnown(keys: readonly string[]): boolean {
    return keys.includes(this.lastKeyOf(keys[0] as string));
  }

  /**
   * Whether the devices that a user has among these leaves have the last key of theirs that this device knows, or one that follows: 0 if all of them, 1 if only some, 2 if none. One with an earlier key may be
   * lost, and its finder may have added the others.
   */
  outdatedIn(leaves: readonly Pick<Leaf, "identity" | "signatureKey">[], user: string): 0 | 1 | 2 {
    if (this.lastKeyOf(user) === user) return 0;
    const theirs = leaves.map(userKeysOf).filter(([first]) => first === user);
    if (theirs.every((keys) => this.areKnown(keys))) return 0;
    return theirs.some((keys) => this.areKnown(keys)) ? 1 : 2;
  }

  /** Notes the keys that other users have by a group that this device has entered, or by the leaves that a commit has changed. */
  note(transaction: Transaction, group: string, [before, after]: [GroupView | undefined, GroupView]): void {
    const seen = new Map(this.#known);
    const changed: string[] = [];
    const known = new Map(before?.leaves.map(({ index, identity }) => [index, identity]));
    for (const leaf of after.leaves) {
      const identity = known.get(leaf.index);
      if (identity !== undefined && equalBytes(identity, leaf.identity)) continue;
      const keys = userKeysOf(leaf);
      const [user] = keys;
      if (user === undefined || user === this.#account.user) continue;
      const old = seen.get(user)?.keys ?? [user];
      const last = old.at(-1) as string;
      const hasLast = (one: Leaf) => userKeysOf(one).at(-1) === last;
      // A device that stands beside one with the last key has not heard of it yet.
      if (hasLast(leaf) || (areBefore(keys, old) && after.leaves.some(hasLast))) continue;
      const isConflict = !keys.includes(last);
      if (!isConflict) {
        seen.set(user, { keys, group: seen.get(user)?.group ?? group });
        changed.push(user);
      }
      transaction.event({ type: "userKeyChanged", group, user, isConflict });
      this.setVerified(transaction, user, false);
    }
    this.#keep(transaction, seen, changed);
  }

  /** Of the group whose members bring most, the last make way, so that a member who adds users who do not exist pushes out nobody else. */
  #keep(transaction: Transaction, known: ReadonlyMap<string, Known>, changed: readonly string[]): void {
    const byGroup = new Map<string, string[]>();
    for (const [user, { group }] of known) {
      const users = byGroup.get(group) ?? [];
      users.push(user);
      byGroup.set(group, users);
    }
    const gone = new Set<string>();
    while (known.size - gone.size > maxReplaced) {
      const most = [...byGroup.values()].reduce((one, other) => (other.length > one.length ? other : one));
      gone.add(most.pop() as string);
    }
    const kept = changed.filter((user) => !gone.has(user));
    for (const user of gone) transaction.remove(keyOf(userKeysPrefix, user));
    for (const user of kept) transaction.set(keyOf(userKeysPrefix, user), known.get(user) as Known);
    transaction.afterwards(() => {
      for (const user of kept) this.#known.set(user, known.get(user) as Known);
      for (const user of gone) this.#known.delete(user);
    });
  }
}
