// Creates groups, and opens the direct chat with a user: the one that the user offers, or a new one to which they are added.

import { demandAddress, demandArray } from "../client/runtime/arguments.js";
import { decodeHex } from "../protocol/encodings.js";
import type { Devices } from "./devices/devices.js";
import type { KeyPackages } from "./devices/key-packages.js";
import { demandName } from "./encoding/names.js";
import type { Group } from "./group.js";
import { directChatOffered, directChatWith, isShared, membersWith } from "./membership/direct-chats.js";
import { enterGroup } from "./membership/entering.js";
import type { FollowUp } from "./membership/follow-ups.js";
import type { Membership, MembershipParts } from "./membership/membership.js";
import {
  type DirectUsers,
  encodeGroupContext,
  groupContextType,
  requiredCapabilities,
  requiredCapabilitiesType,
} from "./mls/group-context.js";
import { foundPermissions, type Permission, permissionsType } from "./mls/permissions.js";
import type { DeviceCore } from "./sending/device-core.js";
import { changePrefix, inGroup } from "./store/record-keys.js";

/** What a new group is called, and what its members may do. */
export interface Founded {
  name: string;
  everyone?: readonly Permission[] | undefined;
  direct?: DirectUsers;
}

export interface DirectOptions {
  /** Where the user receives. */
  addresses?: readonly string[];
  name?: string;
}

interface Opening extends DirectOptions {
  memberships: ReadonlyMap<string, Membership>;
  groupOf(membership: Membership): Group;
  found(founded: Founded): Promise<Group>;
}

const slotKeyBytes = 32;
const maxAddresses = 100;
/** What the user may do who has not created a direct chat. */
const permissions: readonly Permission[] = ["send", "setDisappearing"];

/** A group whose only member is this device, and the work that follows. */
export async function foundGroup(
  { packages, devices, ...all }: MembershipParts & { packages: KeyPackages; devices: Devices },
  groupId: Uint8Array,
  { name, everyone, direct }: Founded,
): Promise<[Membership, FollowUp[]]> {
  const { mls, ledger, sealing, device, nowMillis } = all.core;
  const { slots } = await sealing.discover();
  if (slots === undefined) throw new Error("the relay has no commit slots");
  const slotKey = decodeHex(slots.key, slotKeyBytes) as Uint8Array;
  const relay = { domain: sealing.domain, slotKey, memoryDays: slots.memory_days };
  const context = { name, slots: relay, invitations: [], banned: [], ...(direct && { direct }) };
  const extensions = new Map([
    [requiredCapabilitiesType, requiredCapabilities([permissionsType, groupContextType])],
    [groupContextType, encodeGroupContext(context)],
    [permissionsType, foundPermissions(device.deviceId, { nowMillis: nowMillis(), everyone })],
  ]);
  const own = await packages.ownLeaf();
  const state = await mls.found({ groupId, ...own, extensions });
  return ledger.inTurn(async (transaction) => {
    const entered = await enterGroup(transaction, all, { state });
    const left = devices.addTo(transaction, entered);
    await transaction.commit();
    return [entered, left];
  });
}

/** Whether this device has still to add somebody. */
async function isAdding({ core, id }: Membership): Promise<boolean> {
  const changes = await core.ledger.readAll(inGroup(changePrefix, id));
  return changes.some(([, { kind }]) => kind === "add");
}

export async function openDirectChat(
  { account }: DeviceCore,
  user: string,
  { addresses, name, memberships, groupOf, found }: Opening,
): Promise<Group> {
  if (name !== undefined) demandName(name);
  const all = () => memberships.values();
  const offered = directChatOffered(all(), user);
  if (offered !== undefined) await groupOf(offered).accept();
  const known = directChatWith(all(), user);
  if (known !== undefined && (isShared(known) || (await isAdding(known)))) return groupOf(known);
  const members = membersWith(all(), user);
  const to = addresses ?? [...new Set(members.map(({ address }) => address))];
  demandArray(to, { what: "addresses", min: 0, max: maxAddresses }, demandAddress);
  if (to.length === 0) throw new Error("no group knows where the user receives: name addresses");
  const direct = [account.user, user].sort() as unknown as DirectUsers;
  const context = { name: name ?? members[0]?.name ?? "", everyone: permissions, direct };
  const chat = known === undefined ? await found(context) : groupOf(known);
  await chat.add(to.map((address) => ({ address, user })));
  const chosen = directChatWith(all(), user);
  return chosen === undefined ? chat : groupOf(chosen);
}
