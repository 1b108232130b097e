// What the removal of a device from a user's devices changes: the user's key, and the leaves in each group. Each device that hears of it does the
// same. The other devices get the new key, which the unlinked one never sees.

import { deviceKeysOf } from "../../client/index.js";
import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import type { Membership } from "../membership/membership.js";
import { wantChange } from "../membership/waiting-changes.js";
import { areHandedOver, type Member } from "../mls/members.js";
import { areNewer, lastKeyOf, readSuccessors, succeed, keysOf as userKeysOf } from "../mls/user-keys.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Transaction } from "../store/ledger.js";
import { accountKey } from "../store/record-keys.js";
import type { NewKey } from "./device-messages.js";
import type { KeyPackages } from "./key-packages.js";

/** A device of the user that has not got the user's new key by then was linked by the unlinked one, perhaps after its loss. */
const outdatedMillis = 86_400_000;
const secretBytes = 32;

/** The key of the user that takes the place of the present one. */
export function nextUserKey({ account, randomBytes }: DeviceCore): NewKey {
  const next = randomBytes(secretBytes);
  return { secret: encodeHex(next), successors: succeed(account, { last: account.userSecret, next }) };
}

/** Takes over a new key of the user from another device. Returns whether it was new. */
export function takeUserKey(
  transaction: Transaction,
  { secret, successors }: NewKey,
  { account, packages }: Pick<DeviceCore, "account"> & { packages: KeyPackages },
): boolean {
  const next = { user: account.user, successors: readSuccessors(successors) ?? [] };
  const userSecret = decodeHex(secret, secretBytes);
  if (userSecret === undefined || encodeHex(deviceKeysOf(userSecret).publicKey) !== lastKeyOf(next)) return false;
  if (!areNewer(userKeysOf(next), userKeysOf(account)) || !areHandedOver(next)) return false;
  const both = { userSecret: Uint8Array.from(userSecret), successors: next.successors };
  transaction.set(accountKey, { ...account, ...both });
  packages.outdate(transaction);
  transaction.afterwards(() => void Object.assign(account, both));
  return true;
}

/**
 * Removes the unlinked device from a group. If the user's key is new, this device's leaf gets it, and devices of the user that do not have it
 * after a day are removed, too.
 */
export function removeUnlinked(
  transaction: Transaction,
  membership: Membership,
  { user, device, isKeyNew, nowMillis }: { user: string; device: string; isKeyNew: boolean; nowMillis: number },
): void {
  const own = membership.others().filter((one) => one.user === user);
  const remove = (those: readonly Member[], rest?: { isOutdated: true; notBeforeMillis: number }) => {
    const ids = those.map(({ id }) => id);
    const leaves = membership.view.leaves.filter(({ index }) => ids.includes(index));
    const members = leaves.map(({ index: leaf, signatureKey }) => ({ leaf, signatureKey }));
    if (members.length > 0) wantChange(transaction, membership, { kind: "remove", members, ...rest });
  };
  remove(own.filter((one) => one.device === device));
  if (!isKeyNew) return;
  wantChange(transaction, membership, { kind: "address" });
  const others = own.filter((one) => one.device !== device);
  remove(others, { isOutdated: true, notBeforeMillis: nowMillis + outdatedMillis });
}
