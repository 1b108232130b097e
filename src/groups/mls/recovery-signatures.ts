// New devices of a user who has lost all others: the recovery key in a leaf of the user lets them into the group.

import { signCiphertext } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import { isSigned, isSignedBy, readIdentity } from "./members.js";
import type { GroupView } from "./mls.js";

interface Recovered {
  user: string;
  device: string;
  signatureKey: Uint8Array;
}

/** The content of a key package by which such a device comes into a group: signed by the user's recovery key. */
export function recoveryOf(groupId: Uint8Array, recovered: Recovered, recoverySecret: Uint8Array): Uint8Array {
  return signCiphertext(recoverySecret, recoveredText(groupId, recovered));
}

/** Whether the recovery key in a leaf of the same user has signed a device's key package, whose identity was verified, for this group. */
export function isRecovered(
  { groupId, leaves }: Pick<GroupView, "groupId" | "leaves">,
  { replaces, ...recovered }: Recovered & { replaces?: Uint8Array | undefined },
): boolean {
  if (replaces === undefined) return false;
  const signed = { text: recoveredText(groupId, recovered), signature: encodeHex(replaces) };
  return leaves.some(({ identity, signatureKey }) => {
    const of = readIdentity(identity);
    if (of?.recovery === undefined || of.user !== recovered.user) return false;
    return isSignedBy(of.recovery, signed) && isSigned(of, signatureKey);
  });
}

function recoveredText(groupId: Uint8Array, { user, device, signatureKey }: Recovered): Uint8Array {
  const [group, key] = [groupId, signatureKey].map(encodeHex);
  return utf8(`mls-relay groups recovery\n${group}\n${user}\n${device}\n${key}`);
}
