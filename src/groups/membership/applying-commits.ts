// Applies the commit that counts, which starts the group's next epoch, or goes back to an epoch whose commit was replaced.

import {
  type BlobReference,
  type DecidedCommit,
  type EpochKeys,
  type SealedMessage,
  sealMessages,
  sealWelcomeMessage,
} from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";
import { encodeContent } from "../encoding/content.js";
import { decodeRecord } from "../encoding/records.js";
import type { Joiner } from "../mls/changes.js";
import { readSlotContent } from "../mls/commit-replacement.js";
import { appearanceOf, disappearSecondsOf, groupNameIn } from "../mls/group-context.js";
import { isAtRelay, type Member, memberOf, membersOf } from "../mls/members.js";
import type { GroupView, SignedCommit } from "../mls/mls.js";
import { permissionsType, rolesOf } from "../mls/permissions.js";
import { oweProfile } from "../sending/profile-messages.js";
import type { GroupEvent } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { disputeKey, keyOf, logKey, pendingPrefix } from "../store/record-keys.js";
import type { LoggedCommit, StoredMembership } from "../store/records.js";
import { keepCommits, loggedOf, proofFor } from "./commit-log.js";
import type { Proof } from "./continuity.js";
import { afterDispute } from "./disputes.js";
import { doorOf } from "./door-keys.js";
import type { FollowUp } from "./follow-ups.js";
import { readDispute } from "./known-disputes.js";
import { endMembership } from "./leaving.js";
import { noteMoves } from "./member-addresses.js";
import type { At, Membership } from "./membership.js";
import { evaluateCommit, mayCount } from "./slot-contents.js";
import { wantChange } from "./waiting-changes.js";
import { type Welcomes, writeJoinerWelcome } from "./welcomes.js";

/** Stored with a pending commit of this device: what is needed to apply the commit and to tell the others. */
export interface OwnCommit {
  next: Uint8Array;
  welcomes?: Welcomes;
  /** Addresses of the joiners, in the order of the Welcomes. */
  joiners: (Omit<Joiner, "keyPackage"> & { isAutomatic?: true })[];
  /** The key of the stored change that the commit carries out. */
  change?: string;
}

interface Announced {
  own: OwnCommit;
  decided: DecidedCommit;
  keys: EpochKeys;
  groupInfo: BlobReference | undefined;
  logged: LoggedCommit;
}

/**
 * Applies the commit that counts, and handles messages that have waited for the new epoch. `groupInfo` is the blob for the joiners of this device's
 * commit.
 */
export async function applyCommit(
  transaction: Transaction,
  membership: Membership,
  { decided, groupInfo }: { decided: DecidedCommit; groupInfo?: BlobReference | undefined },
): Promise<FollowUp[]> {
  const { mls } = membership.core;
  const own = decided.state && decodeRecord<OwnCommit>(decided.state);
  const [before, keys, known] = [membership.view, membership.keys, membership.mlsState];
  const processed = own === undefined ? (await evaluateCommit(membership, decided.content)).result : undefined;
  if (processed !== undefined && processed.kind !== "valid") throw new Error(`the commit is ${processed.kind}`);
  const state = own === undefined ? processed?.state : await mls.load(own.next);
  const after = mls.view(state);
  const committer = own === undefined ? processed?.committer : before.ownLeaf;
  const at: At = { epoch: Number(before.epoch), state: known, view: before, keys };
  const left: FollowUp[] = [];
  const by = before.leaves.find(({ index }) => index === committer);
  const byMember = by && { by: memberOf(by, before) };
  membership.keepPast(transaction);
  const logged = loggedOf(decided, { keys, before, after });
  if (own !== undefined) {
    await announce(transaction, membership, { own, decided, keys, groupInfo, logged });
    transaction.remove(keyOf(pendingPrefix, membership.id));
    if (own.change !== undefined) transaction.remove(own.change);
  }
  await noteMoves(transaction, membership, [before, after]);
  membership.core.users.note(transaction, membership.id, [before, after]);
  if (after.isMember) {
    await membership.moveTo(transaction, {
      stored: { ...membership.stored, log: keepCommits(transaction, membership, [logged]) },
      state,
    });
    const event = changeOf(membership.id, [before, after]);
    if (event !== undefined) transaction.event({ ...event, ...byMember });
    const { core, id } = membership;
    if (event?.joined.some(({ user }) => user !== core.account.user))
      oweProfile(transaction, core, { id, joined: { among: membersOf(after) } });
    if (looksOf(before) !== looksOf(after)) transaction.event({ type: "appearanceChanged", group: id, ...byMember });
    const seconds = disappearSecondsOf(after);
    if (disappearSecondsOf(before) !== seconds)
      transaction.event({
        type: "disappearingChanged",
        group: membership.id,
        ...(seconds && { seconds }),
        ...byMember,
      });
    const textOf = (view: GroupView) => JSON.stringify(view.extension(permissionsType));
    if (textOf(before) !== textOf(after))
      transaction.event({ type: "rolesChanged", group: membership.id, roles: rolesOf(after), ...byMember });
    left.push(...(await afterDispute(transaction, membership, { at, content: decided.content })));
    const key = after.leaves.find(({ index }) => index === after.ownLeaf)?.encryptionKey;
    if (processed?.mustRenew && key !== undefined) {
      wantChange(transaction, membership, { kind: "renew", key });
      left.push({ kind: "change", group: membership.id });
    }
  } else {
    const { commit, grounds } = readSlotContent(logged.commit);
    const judge = (view: GroupView, signed: SignedCommit) => mayCount(view, signed, grounds);
    const { outline } = await mls.follow(mls.outline(known), [commit], judge);
    const log = keepCommits(transaction, membership, [logged]);
    await endMembership(transaction, membership, { state: "removed", outline, removedBy: byMember?.by, log });
  }
  await transaction.commit();
  return left;
}

async function announce(
  transaction: Transaction,
  membership: Membership,
  { own, decided, keys, groupInfo, logged }: Announced,
): Promise<void> {
  const { content, receipt, attempt } = decided;
  const news = encodeContent({ kind: "commit", news: { content, receipt, attempt } });
  const { sealing } = membership.core;
  const joining = own.joiners.map(({ address }) => address);
  // A device that is added again in place of an old leaf cannot read the news.
  const to = membership.recipients().filter((address) => !joining.includes(address));
  const item = { group: membership.id, createdAtMillis: membership.core.nowMillis() };
  const copies = await sealMessages({ to, content: news, keys, isAutomatic: true }, sealing);
  membership.outbox.post(transaction, { ...item, copies });
  const joined = own.joiners.map(async ({ address, initKey, isAutomatic, ...joiner }, at) => {
    const recipient = { cipherSuite: membership.core.mls.cipherSuite, initKey };
    const secret = own.welcomes?.secrets[at];
    const { welcomes } = own;
    if (welcomes === undefined || secret === undefined) throw new Error("a Welcome is missing");
    const reference = isAtRelay(address, sealing) ? groupInfo : undefined;
    const seal = (proof: Proof | undefined) => {
      const welcome = (handle?: Uint8Array) => writeJoinerWelcome(welcomes, secret, { reference, proof, handle });
      const sealed = isAutomatic ? { welcome: welcome(), isAutomatic } : { welcome };
      return sealWelcomeMessage({ to: address, recipient, ...sealed }, sealing);
    };
    const proof = await proofFor(transaction, membership, { joiner, logged });
    // A longer proof would make the message larger than relays accept.
    const copy = await seal(proof).catch(() => seal(undefined));
    return { copy, isShared: reference !== undefined };
  });
  // All at once: the platform has several threads for it.
  const sealed = await Promise.all(joined);
  const [welcomes, shared] = [false, true].map((one) =>
    sealed.flatMap(({ copy, isShared }) => (isShared === one ? [copy] : [])),
  ) as [SealedMessage[], SealedMessage[]];
  // Separate from the news: Welcomes differ in size, and must not wait for each other.
  for (const each of [welcomes, shared]) membership.outbox.post(transaction, { ...item, copies: each });
}

/** Goes back to a past epoch because the commit that ended it was replaced. Commits the transaction. */
export async function goBack(transaction: Transaction, membership: Membership, epoch: number): Promise<void> {
  const before = membership.view;
  const saved = await transaction.get(membership.pastKey(epoch));
  if (!membership.isActive || saved === undefined || epoch >= Number(before.epoch)) return;
  const state = await membership.core.mls.load(saved);
  const { epochs, log = [] } = membership.stored;
  for (const one of epochs) if (one.epoch >= epoch) membership.forgetEpoch(transaction, one.epoch, one.epoch > epoch);
  for (const one of log) if (one.epoch >= epoch) transaction.remove(logKey(membership.id, one.epoch));
  transaction.remove(keyOf(pendingPrefix, membership.id));
  const view = membership.core.mls.view(state);
  const stored: StoredMembership = {
    ...membership.stored,
    name: groupNameIn(view, membership.stored.name),
    epochs: epochs.filter((one) => one.epoch <= epoch),
    door: await doorOf(membership.core.mls.exporterOf(state)),
    log: log.filter((one) => one.epoch < epoch),
  };
  const dispute = await readDispute(transaction, disputeKey(membership.id, epoch));
  membership.moveBack(transaction, { stored, saved, state, dispute });
  const event = changeOf(membership.id, [before, view]);
  if (event !== undefined) transaction.event(event);
  await transaction.commit();
}

/** What a commit has changed; undefined if only keys are new. */
function changeOf(
  group: string,
  [before, after]: [GroupView, GroupView],
): (GroupEvent & { type: "changed" }) | undefined {
  const [old, now] = [whoIsIn(before), whoIsIn(after)];
  const without = (one: Map<string, Member>, other: Map<string, Member>) =>
    [...one].flatMap(([who, member]) => (other.has(who) ? [] : [member]));
  const [joined, left] = [without(now, old), without(old, now)];
  const oldName = groupNameIn(before);
  const name = groupNameIn(after, oldName);
  const isQuiet = joined.length === 0 && left.length === 0 && name === oldName;
  return isQuiet ? undefined : { type: "changed", group, name, joined, left };
}

/** A picture that was only uploaded again has not changed. */
function looksOf(view: GroupView): string {
  const { description, picture } = appearanceOf(view);
  return JSON.stringify([description, picture?.reference.plaintext_hash, picture?.mediaType]);
}

/** By what tells them apart: somebody who comes back in their own place may call themself otherwise. */
function whoIsIn(view: GroupView): Map<string, Member> {
  const members = membersOf(view);
  return new Map(
    view.leaves.map(({ index, signatureKey }, at) => {
      const member = members[at] as Member;
      return [`${index} ${encodeHex(signatureKey)} ${member.name}`, member];
    }),
  );
}
