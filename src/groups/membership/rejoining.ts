// How a device that is out of the group, or cannot follow it, asks to be added again. It accepts only a Welcome that continues from what it knew.

import { NotLoadedError, openEnvelope } from "../../client/index.js";
import { equalBytes } from "../../protocol/encodings.js";
import { readSlotContent, type SlotContent } from "../mls/commit-replacement.js";
import { replacementOf } from "../mls/leaf-replacement.js";
import { type Member, membersOf } from "../mls/members.js";
import type { GroupView, SignedCommit } from "../mls/mls.js";
import type { Transaction } from "../store/ledger.js";
import { keyOf, outlinePrefix } from "../store/record-keys.js";
import type { LoggedCommit, StoredMembership } from "../store/records.js";
import { isWinner, type Proof } from "./continuity.js";
import type { Membership } from "./membership.js";
import type { Ask } from "./request-encoding.js";
import { mayCount } from "./slot-contents.js";

/** Stands for a commit that was followed without its slot. */
const unseen = { content: new Uint8Array(), receipt: {} as LoggedCommit["receipt"], attempt: 0 };

/** The request to the other members, of a device that cannot follow the slots. */
export function askAgain(membership: Membership): Parameters<Ask>[0] {
  const own = membership.view.leaves.find(({ index }) => index === membership.view.ownLeaf);
  const { door } = membership.stored;
  if (own === undefined || door === undefined) throw new Error("this device is not in the group");
  return {
    group: membership.id,
    to: membership.recipients(),
    by: { door, replaces: replacementOf(membership.view, own) },
  };
}

/**
 * How the state of a Welcome continues what this device knows of the group, and who has added it. Undefined if that is not proved, or if this
 * device has not seen yet that it is out of the group.
 */
export async function continuationOf(
  transaction: Transaction,
  membership: Membership,
  { state, proof }: { state: unknown; proof: Proof | undefined },
): Promise<{ by?: Member; followed: LoggedCommit[] } | undefined> {
  if (membership.isActive) return undefined;
  const { mls } = membership.core;
  const isLost = membership.state === "mustRejoin";
  const outline = isLost
    ? mls.outline(membership.mlsState)
    : await transaction.get(keyOf(outlinePrefix, membership.id));
  if (outline === undefined) return undefined;
  try {
    // An honest proof may begin earlier, with the commit that has removed this device.
    const known = membership.knownEpoch;
    const first = known - (proof?.epoch ?? known);
    if (first < 0 || (isLost && (first > 0 || !(await hasWon(membership, proof))))) return undefined;
    const commits = proof?.commits.slice(first) ?? [];
    const followed: LoggedCommit[] = [];
    const judge = (view: GroupView, signed: SignedCommit) => {
      const leaves = signed.proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
      const removed = membersOf(view).flatMap(({ id, device }) => (leaves.includes(id) ? [device] : []));
      const commit = commits[followed.length] as Uint8Array;
      const { grounds } = contents[followed.length] as SlotContent;
      // Another commit may have replaced the first one since: that can be looked up by its slot.
      const slot = isLost && followed.length === 0 ? proof?.first : undefined;
      followed.push({ ...unseen, ...slot, epoch: Number(view.epoch), commit, removed });
      return mayCount(view, signed, grounds);
    };
    const contents = commits.map(readSlotContent);
    const signedCommits = contents.map(({ commit }) => commit);
    const end = await mls.follow(outline, signedCommits, judge);
    if (!equalBytes(end.outline, mls.outline(state))) return undefined;
    const by = membersOf(mls.view(state)).find(({ id }) => id === end.committer) ?? membership.stored.removedBy;
    return { ...(by && { by }), followed };
  } catch (problem) {
    if (problem instanceof NotLoadedError) throw problem;
    membership.core.problem(problem);
    return undefined;
  }
}

async function hasWon(membership: Membership, proof: Proof | undefined): Promise<boolean> {
  if (proof === undefined) return false;
  const [commit] = proof.commits;
  const opened = openEnvelope(membership.keys, proof.first.content);
  const exporter = membership.core.mls.exporterOf(membership.mlsState);
  const isSame = commit !== undefined && opened !== undefined && equalBytes(opened, commit);
  return (
    isSame && isWinner(proof.first, { relay: membership.context.slots, exporter, slots: membership.stored.slots ?? [] })
  );
}

/** Handles a Welcome that does not prove continuity. The application is told once. Commits the transaction. */
export async function refuseWelcome(transaction: Transaction, membership: Membership): Promise<void> {
  if (!membership.stored.hasRefused) {
    membership.change(transaction, { ...membership.stored, hasRefused: true });
    transaction.event({ type: "welcomeRefused", group: membership.id });
  }
  await transaction.commit();
}

/** The slots of the group cannot be followed. */
export async function loseGroup(
  transaction: Transaction,
  membership: Membership,
  { reason, slots }: Required<Pick<StoredMembership, "reason" | "slots">>,
): Promise<void> {
  if (!membership.isActive) return;
  membership.change(transaction, { ...membership.stored, state: "mustRejoin", reason, slots });
  transaction.event({ type: "mustRejoin", group: membership.id, reason });
  await transaction.commit();
}
