// Who a leaf of a group is: the identity in its credential.

import { type Connection, deviceIdOf, deviceKeysOf, signCiphertext, verifyCiphertext } from "../../client/index.js";
import { encodeHex, isHex32, utf8 } from "../../protocol/encodings.js";
import { isAddress } from "../../protocol/identifiers.js";
import { shownName } from "../encoding/names.js";
import type { GroupView, Leaf } from "./mls.js";
import { keysOf, lastKeyOf, readSuccessors, successorText, type UserKeys } from "./user-keys.js";

/** A device that is a member of a group. */
export interface Member {
  /** Its leaf index. Another member may get it after this one has gone. */
  id: number;
  /** The user's first public key, in hex: the same for all devices of a user. Empty if `isSigned` is false: anybody could claim one. */
  user: string;
  /** The device's id at its relay. Empty if `isSigned` is false. */
  device: string;
  /** As the user calls themself. */
  name: string;
  /** Where the device receives. Empty if its credential has none that could be used. */
  address: string;
  /** Whether the user's key and the device's own have signed each other. If not, show the device as a stranger's. */
  isSigned: boolean;
  isMe: boolean;
}

/** A picture of somebody, or of a group: `Groups.picture` and `Group.readPicture` read it. Another one has another `id`. */
export interface PictureInfo {
  id: string;
  mediaType: string;
  /** In bytes. */
  size: number;
}

/** What is known of a user. */
export interface Person {
  /** Their public key, in hex. */
  user: string;
  /** What this user calls them (`Groups.setContact`), or else what they call themself. */
  name: string;
  /** What they call themself, if this user calls them otherwise. */
  profileName?: string;
  /** Whether this user has given them a name (`Groups.setContact`). */
  isNamed: boolean;
  picture?: PictureInfo;
}

/** A member, as somebody to show. */
export type ShownMember = Member & Person;

interface Identity extends UserKeys {
  device: string;
  name: string;
  address: string;
  /** The device's Ed25519 public key at its relay, in hex. Its id is a hash of it. */
  device_key: string;
  /** Signatures of the user's keys, the device and the leaf's signature key, by the user's last key and by the device's, in hex. */
  user_signature: string;
  device_signature: string;
  /** The public half of the user's recovery key, in hex, if they have one. The signature of the leaf covers it. */
  recovery?: string;
}

const maxAddressLength = 300;

/** What could not be sealed to would keep a member from writing to all others. */
function isUsable(address: unknown): boolean {
  return typeof address === "string" && address.length <= maxAddressLength && isAddress(address);
}

/** Whether an address is one of this device's own relay. */
export function isAtRelay(address: string, { domain }: Pick<Connection, "domain">): boolean {
  return address.toLowerCase().endsWith(`@${domain}`);
}

/** The content of a device's credential. */
export function encodeIdentity(
  {
    name,
    address,
    successors = [],
    recovery,
    ...of
  }: Pick<Identity, "name" | "address"> & Partial<UserKeys> & { recovery?: { publicKey: string } | undefined },
  secrets: { userSecret: Uint8Array; deviceSecret: Uint8Array; signatureKey: Uint8Array },
): Uint8Array {
  const { deviceId: device, publicKey } = deviceKeysOf(secrets.deviceSecret);
  const { user = encodeHex(deviceKeysOf(secrets.userSecret).publicKey) } = of;
  const signed = signedText({ user, successors, device }, secrets.signatureKey);
  const identity = {
    user,
    ...(successors.length > 0 && { successors }),
    device,
    name,
    address,
    device_key: encodeHex(publicKey),
    user_signature: encodeHex(signCiphertext(secrets.userSecret, signed)),
    device_signature: encodeHex(signCiphertext(secrets.deviceSecret, signed)),
    ...(recovery && { recovery: recovery.publicKey }),
  };
  return utf8(JSON.stringify({ version: 1, ...identity }));
}

/** Undefined if it does not have the form of this package. */
export function readIdentity(content: Uint8Array): Identity | undefined {
  try {
    const identity = JSON.parse(new TextDecoder().decode(content));
    const { user, device, name, address, device_key, user_signature, device_signature, recovery } = identity;
    const successors = readSuccessors(identity.successors);
    const texts = [user, device, name, address, device_key, user_signature, device_signature];
    const areKeys = [user, device, device_key].every(isHex32);
    if (!texts.every((one) => typeof one === "string") || !areKeys || !isUsable(address)) return undefined;
    if (successors === undefined) return undefined;
    const signatures = { device_key, user_signature, device_signature };
    return {
      user,
      successors,
      device,
      name: shownName(name),
      address,
      ...signatures,
      ...(isHex32(recovery) && { recovery }),
    };
  } catch {
    return undefined;
  }
}

export function memberOf(
  { index, identity, signatureKey }: Omit<Leaf, "encryptionKey">,
  view: Pick<GroupView, "ownLeaf">,
): Member {
  const read = readIdentity(identity);
  const isMe = index === view.ownLeaf;
  const { name = "", address = "" } = read ?? {};
  if (read === undefined || !isSigned(read, signatureKey))
    return { id: index, user: "", device: "", name, address, isSigned: false, isMe };
  return { id: index, user: read.user, device: read.device, name, address, isSigned: true, isMe };
}

type Signing = Pick<Leaf, "identity" | "signatureKey">;

/** Undefined if the leaf is not signed: anybody could claim to be it. */
export function signedIdentityOf({ identity, signatureKey }: Signing): Identity | undefined {
  const read = readIdentity(identity);
  return read !== undefined && isSigned(read, signatureKey) ? read : undefined;
}

/** All keys of the user, in hex; none if the leaf is not signed. */
export function userKeysOf(leaf: Signing): string[] {
  const read = signedIdentityOf(leaf);
  return read === undefined ? [] : keysOf(read);
}

/** The device's public key, in hex; undefined if the leaf is not signed. */
export function deviceKeyOf(leaf: Signing): string | undefined {
  return signedIdentityOf(leaf)?.device_key;
}

const known = new WeakMap<GroupView, readonly Member[]>();

export function membersOf(view: GroupView): readonly Member[] {
  const members = known.get(view) ?? view.leaves.map((leaf) => memberOf(leaf, view));
  known.set(view, members);
  return members;
}

/** Checked once for each credential: checking takes a millisecond. */
const checked = new Map<string, boolean>();
const maxChecked = 10_000;

export function isSigned(identity: Identity, signatureKey: Uint8Array): boolean {
  const { device_key: deviceKey, user_signature: byUser, device_signature: byDevice, successors } = identity;
  const signed = signedText(identity, signatureKey);
  const key = `${deviceKey} ${byUser} ${byDevice} ${encodeHex(signed)} ${JSON.stringify(successors)}`;
  const known = checked.get(key);
  if (known !== undefined) return known;
  const holds =
    deviceIdOf(bytesOfHex(deviceKey)) === identity.device &&
    isSignedBy(lastKeyOf(identity), { text: signed, signature: byUser }) &&
    areHandedOver(identity) &&
    isSignedBy(deviceKey, { text: signed, signature: byDevice });
  if (checked.size >= maxChecked) checked.clear();
  checked.set(key, holds);
  return holds;
}

/** Whether each key of a user is signed by the one before it. */
export function areHandedOver(of: UserKeys): boolean {
  const keys = keysOf(of);
  return of.successors.every(({ signature }, at) =>
    isSignedBy(keys[at] as string, { text: successorText(keys.slice(0, at + 2)), signature }),
  );
}

/** The public key and the signature are in hex. */
export function isSignedBy(key: string, { text, signature }: { text: Uint8Array; signature: string }): boolean {
  return (
    /^[0-9a-f]{128}$/.test(signature) &&
    verifyCiphertext(bytesOfHex(key), { ciphertext: text, senderSignature: signature })
  );
}

function signedText({ device, ...of }: UserKeys & Pick<Identity, "device">, signatureKey: Uint8Array): Uint8Array {
  return utf8(`mls-relay user device\n${keysOf(of).join(" ")}\n${device}\n${encodeHex(signatureKey)}`);
}

function bytesOfHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
