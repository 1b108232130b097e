// Requests by the door of an epoch, from members whose device cannot follow the group and from users who have lost all their devices.

import { equalBytes } from "../../protocol/encodings.js";
import type { Change } from "../mls/changes.js";
import type { Added } from "../mls/joiners.js";
import { memberOf } from "../mls/members.js";
import type { Leaf } from "../mls/mls.js";
import { isRecovered } from "../mls/recovery-signatures.js";
import type { Transaction } from "../store/ledger.js";
import { changePrefix, countsPrefix, inGroup, keyOf } from "../store/record-keys.js";
import type { Membership } from "./membership.js";
import { actsFirst, standInMillis, wantOnce } from "./waiting-changes.js";

/** How often devices of one user are added again in a day. Each time uses a commit slot of the member who adds it. */
const maxReadmits = 10;
const daySeconds = 86_400;

/** Only a present member's device can ask by the door, and only for itself, or a new device of a user who has lost all others. One such request of each user waits. */
export async function readmit(
  transaction: Transaction,
  membership: Membership,
  { joiner: { added, user, signatureKey, replaces }, since }: { joiner: Added; since: number },
): Promise<void> {
  const isOf = (leaf: Leaf) => {
    const { isSigned, isMe, device, user: of } = memberOf(leaf, membership.view);
    const isSame = isSigned && !isMe && device === added.device && of === user;
    return isSame && equalBytes(leaf.signatureKey, signatureKey);
  };
  const isHere =
    replaces !== undefined && equalBytes(replaces.subarray(0, membership.view.groupId.length), membership.view.groupId);
  const isNew = isRecovered(membership.view, { user, device: added.device, signatureKey, replaces });
  if (!isNew && !(isHere && membership.view.leaves.some(isOf))) return;
  const notBeforeMillis = actsFirst(membership) ? 0 : membership.core.nowMillis() + standInMillis;
  const joining = isNew ? added : { ...added, sinceEpoch: since };
  const change: Change = { kind: "readmit", joiner: joining, user, isNew, notBeforeMillis };
  const isSame = (one: Change) =>
    one.kind === "readmit" && (isNew && one.isNew ? one.user === user : one.joiner.device === added.device);
  const waiting = await transaction.readAll(inGroup(changePrefix, membership.id));
  if (waiting.some(([, one]) => isSame(one)) || (await countToday(transaction, membership, user)))
    await wantOnce(transaction, membership, { change, isSame });
}

/** Counts a user's requests of a day. False if there are too many. */
async function countToday(transaction: Transaction, membership: Membership, user: string): Promise<boolean> {
  const key = keyOf(inGroup(countsPrefix, membership.id), `readmit-${user}`);
  const at = membership.nowSeconds();
  const known = await transaction.read(key);
  const count = known !== undefined && known.at > at - daySeconds ? known.count : 0;
  if (count >= maxReadmits) return false;
  transaction.set(key, { at: count === 0 ? at : (known?.at ?? at), count: count + 1 });
  return true;
}
