// What members say of a commit that counts for all: whether they can use it. Each statement is signed, for one group and epoch.

import { signCiphertext } from "../../client/index.js";
import { encodeHex, isHex32, utf8 } from "../../protocol/encodings.js";
import { deviceKeyOf, isSignedBy } from "./members.js";
import type { GroupView } from "./mls.js";

/** What a member says of a commit. */
export interface Claim {
  /** The SHA-256 of the slot's content with the commit, in hex. */
  commit: string;
  /** The committer's leaf. */
  committer: number;
  /** Whether the member can use the commit by now. */
  isUsable: boolean;
}

export interface Statement extends Claim {
  /** The leaf of the member who says it. */
  leaf: number;
  signature: string;
}

function claimText({ groupId, epoch }: GroupView, { commit, committer, isUsable }: Claim): Uint8Array {
  const what = isUsable ? "usable" : "unusable";
  return utf8(`mls-relay groups commit\n${encodeHex(groupId)}\n${epoch}\n${commit}\n${committer}\n${what}\n`);
}

/** `view` is of the epoch that the commit ends. */
export function signClaim(view: GroupView, claim: Claim, deviceSecret: Uint8Array): Statement {
  const signature = encodeHex(signCiphertext(deviceSecret, claimText(view, claim)));
  return { ...claim, leaf: view.ownLeaf, signature };
}

/** Whether the device of the leaf has signed it, for this group and epoch. */
export function isStatement(view: GroupView, { leaf, signature, ...claim }: Statement): boolean {
  const found = view.leaves.find(({ index }) => index === leaf);
  const key = found && deviceKeyOf(found);
  return key !== undefined && isSignedBy(key, { text: claimText(view, claim), signature });
}

/** Undefined if it has another form. */
export function readStatement(value: Record<string, unknown>): Statement | undefined {
  const { commit, committer, isUsable, leaf, signature } = value;
  const areNumbers = [committer, leaf].every((one) => Number.isSafeInteger(one) && (one as number) >= 0);
  if (!areNumbers || typeof isUsable !== "boolean" || typeof signature !== "string" || !isHex32(commit))
    return undefined;
  return { commit, committer, isUsable, leaf, signature } as Statement;
}
