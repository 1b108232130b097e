// A device that was linked is added to the groups of its user: by the device that linked it to those there are, and to each that it creates or joins later.

import type { FollowUp } from "../membership/follow-ups.js";
import type { Membership } from "../membership/membership.js";
import { wantChange } from "../membership/waiting-changes.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Transaction } from "../store/ledger.js";

/** Has the devices of this user added to the group that are no members of it. An empty address is of a device that is not linked yet. */
export function addLinkedDevices(
  transaction: Transaction,
  membership: Membership,
  { addresses, core }: { addresses: readonly string[]; core: Pick<DeviceCore, "account" | "randomBytes"> },
): FollowUp[] {
  if (!membership.isFollowed) return [];
  const { user } = core.account;
  const present = membership.members().filter((one) => one.user === user);
  const missing = addresses.filter((address) => address !== "" && !present.some((one) => one.address === address));
  if (missing.length === 0) return [];
  const users = Object.fromEntries(missing.map((address) => [address, user]));
  wantChange(transaction, membership, { kind: "add", addresses: missing, users, claimId: core.randomBytes(32) });
  return [{ kind: "change", group: membership.id }];
}
