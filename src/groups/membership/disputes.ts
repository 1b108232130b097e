// What members do about a commit that some of them cannot use: they say so, help each other, and replace it if most of them cannot.

import { sealMessages } from "../../client/index.js";
import { encodeContent } from "../encoding/content.js";
import type { Change } from "../mls/changes.js";
import { type Grounds, readSlotContent } from "../mls/commit-replacement.js";
import { isMajority } from "../mls/dispute-majority.js";
import { signClaim } from "../mls/dispute-statements.js";
import { membersOf } from "../mls/members.js";
import type { SignedCommit } from "../mls/mls.js";
import type { Transaction } from "../store/ledger.js";
import { disputeKey, disputePrefix, inGroup, logKey } from "../store/record-keys.js";
import type { Dispute, LoggedCommit } from "../store/records.js";
import type { FollowUp } from "./follow-ups.js";
import {
  complaintsOf,
  encodeSent,
  groundsOf,
  hashOf,
  noteStatement,
  readDispute,
  readSent,
  repairDelay,
  statementOf,
} from "./known-disputes.js";
import type { At, Membership } from "./membership.js";
import { contentIn, evaluateCommit, mayCount, processCommit } from "./slot-contents.js";
import { wantOnce } from "./waiting-changes.js";

/** Past epochs whose commits are examined again after connecting. */
const maxReviewed = 16;
/** Waiting statements of one member. An honest member that is stuck complains about one commit only; a hostile one could do so for all kept epochs. */
const maxRepairs = 16;

/**
 * Tells the others that this device cannot use the commit that counts. Returns the grounds for a replacement as soon as more than half of the users
 * have said the same. Commits the transaction.
 */
export async function complain(
  transaction: Transaction,
  membership: Membership,
  content: Uint8Array,
): Promise<Grounds | undefined> {
  const { committer } = await evaluateCommit(membership, content);
  const claim = { commit: hashOf(content), committer, isUsable: false };
  const at = membership.presentAt(transaction);
  const statement = signClaim(at.view, claim, membership.core.account.deviceSecret);
  const before = await readDispute(transaction, disputeKey(membership.id, at.epoch));
  const noted = noteStatement(before, at.view, statement);
  if (noted !== undefined) {
    membership.keepDispute(transaction, at.epoch, { ...noted, content });
    await postSent(transaction, membership, { at, sent: { kind: "statement", statement } });
  }
  await transaction.commit();
  return groundsOf(noted ?? before, at.view, claim);
}

export async function handleDispute(
  transaction: Transaction,
  membership: Membership,
  { message, epoch }: { message: Uint8Array; epoch: number },
): Promise<FollowUp[]> {
  const sent = readSent(message);
  const at = membership.isActive && sent !== undefined ? await membership.at(transaction, epoch) : undefined;
  if (at === undefined || sent === undefined) return [];
  const dispute = await readDispute(transaction, disputeKey(membership.id, epoch));
  if (sent.kind === "repair") return handleRepair(transaction, membership, { at, dispute, repair: sent });
  const noted = noteStatement(dispute, at.view, sent.statement);
  if (noted === undefined) return [];
  membership.keepDispute(transaction, epoch, noted);
  if (epoch === Number(membership.view.epoch)) return [{ kind: "follow", group: membership.id }];
  return helpOthers(transaction, membership, { at, dispute: noted });
}

/** Takes a path secret that another member has sealed for this one. It is kept if it leads to the epoch that everybody sees. */
async function handleRepair(
  transaction: Transaction,
  membership: Membership,
  { at, dispute, repair }: { at: At; dispute: Dispute; repair: NonNullable<Dispute["repair"]> },
): Promise<FollowUp[]> {
  const { content } = dispute;
  if (at.epoch !== Number(membership.view.epoch) || content === undefined || hashOf(content) !== repair.commit)
    return [];
  const found = contentIn(at.keys, content);
  const { result } =
    found === undefined ? { result: undefined } : await processCommit(membership, at, { found, repair: repair.sealed });
  if (result?.kind !== "valid") return [];
  const { commit, sealed } = repair;
  membership.keepDispute(transaction, at.epoch, { ...dispute, repair: { commit, sealed } });
  return [{ kind: "follow", group: membership.id }];
}

/** Helps members who cannot use the commit that ended an epoch for this device. */
async function helpOthers(
  transaction: Transaction,
  membership: Membership,
  { at: { epoch, view }, dispute }: { at: At; dispute: Dispute },
): Promise<FollowUp[]> {
  const logged = await transaction.read(logKey(membership.id, epoch));
  if (logged === undefined || logged.content.length === 0) return [];
  const commit = hashOf(logged.content);
  const complaints = complaintsOf(dispute, commit);
  const { repaired = [] } = dispute;
  const others = complaints.filter(({ leaf }) => leaf !== view.ownLeaf && !repaired.includes(leaf));
  const left: FollowUp[] = [];
  const helped: number[] = [];
  for (const { leaf, committer } of others) {
    const notBeforeMillis = membership.core.nowMillis() + repairDelay(view, { committer, commit, dispute });
    const change = { kind: "repair", epoch, leaf, notBeforeMillis } as const;
    const isSame = (one: Change) => one.kind === "repair" && one.epoch === epoch && one.leaf === leaf;
    const isOf = (one: Change) => one.kind === "repair" && one.leaf === leaf;
    if (await wantOnce(transaction, membership, { change, isSame, share: { isOf, room: maxRepairs } }))
      helped.push(leaf);
  }
  if (helped.length > 0) {
    membership.keepDispute(transaction, epoch, { ...dispute, repaired: [...repaired, ...helped] });
    left.push({ kind: "change", group: membership.id });
  }
  const byCommitter = complaints.some((one) =>
    isMajority(view, { committer: one.committer, leaves: complaints.map(({ leaf }) => leaf) }),
  );
  if (byCommitter) left.push({ kind: "review", group: membership.id, epoch });
  return left;
}

/** Seals a path secret for a member who still cannot use the commit that this device could use, or can since others have helped it. Commits the transaction. */
export async function sealRepair(
  transaction: Transaction,
  membership: Membership,
  { key, epoch, leaf }: { key: string; epoch: number; leaf: number },
): Promise<void> {
  transaction.remove(key);
  const dispute = await readDispute(transaction, disputeKey(membership.id, epoch));
  const logged = await transaction.read(logKey(membership.id, epoch));
  const at = await membership.at(transaction, epoch);
  const statement = logged && statementOf(dispute, { leaf, commit: hashOf(logged.content) });
  if (at !== undefined && logged !== undefined && statement?.isUsable === false) {
    const { commit: bytes, grounds } = readSlotContent(logged.commit);
    const judge = (signed: SignedCommit) => mayCount(at.view, signed, grounds);
    const own = dispute.repair?.commit === statement.commit ? dispute.repair.sealed : undefined;
    const sealed = await membership.core.mls.repair?.(at.state, { commit: bytes, isAllowed: judge, leaf, own });
    if (sealed !== undefined)
      await postSent(transaction, membership, {
        at,
        sent: { kind: "repair", commit: statement.commit, sealed },
        only: leaf,
      });
  }
  await transaction.commit();
}

/** After a commit has ended an epoch: says that this device can use it by now, and helps others. */
export async function afterDispute(
  transaction: Transaction,
  membership: Membership,
  { at, content }: { at: At; content: Uint8Array },
): Promise<FollowUp[]> {
  let dispute = await readDispute(transaction, disputeKey(membership.id, at.epoch));
  const own = statementOf(dispute, { leaf: at.view.ownLeaf, commit: hashOf(content) });
  if (own?.isUsable === false) {
    const { commit, committer } = own;
    const claim = { commit, committer, isUsable: true };
    const statement = signClaim(at.view, claim, membership.core.account.deviceSecret);
    dispute = noteStatement(dispute, at.view, statement) ?? dispute;
    membership.keepDispute(transaction, at.epoch, dispute);
    await postSent(transaction, membership, { at, sent: { kind: "statement", statement } });
  }
  return helpOthers(transaction, membership, { at, dispute });
}

/** A past epoch, with the commit that ended it for this device. */
export async function endedEpoch(
  transaction: Transaction,
  membership: Membership,
  epoch: number,
): Promise<(At & { logged: LoggedCommit }) | undefined> {
  if (!membership.isActive || epoch >= Number(membership.view.epoch)) return undefined;
  const at = await membership.at(transaction, epoch);
  const logged = await transaction.read(logKey(membership.id, epoch));
  return at && logged && logged.content.length > 0 ? { ...at, logged } : undefined;
}

/** The newest past epochs whose commits members have complained about. */
export async function disputedEpochs(membership: Membership): Promise<number[]> {
  const prefix = inGroup(disputePrefix, membership.id);
  const stored = await membership.core.ledger.store.list({ prefix, limit: maxReviewed, last: true });
  return stored.map(([key]) => Number(key.slice(prefix.length))).filter((epoch) => epoch < membership.knownEpoch);
}

/** Sends a statement about an epoch's commit to its members, or to one of them a repair that only they can open. */
async function postSent(
  transaction: Transaction,
  membership: Membership,
  { at: { view, keys }, sent, only }: { at: At; sent: Parameters<typeof encodeSent>[0]; only?: number },
): Promise<void> {
  const { sealing, nowMillis } = membership.core;
  const others = membersOf(view).filter(({ id, isMe }) => !isMe && (only === undefined || id === only));
  const to = others.flatMap(({ address }) => (address === "" ? [] : [address]));
  if (to.length === 0) return;
  const content = encodeContent({ kind: "dispute", message: encodeSent(sent) });
  const copies = await sealMessages({ to, content, keys, isAutomatic: true }, sealing);
  membership.outbox.post(transaction, { group: membership.id, copies, createdAtMillis: nowMillis(), isQuiet: true });
}
