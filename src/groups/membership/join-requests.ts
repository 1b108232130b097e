// Requests to be added: of people with an invitation, of members whose device cannot follow the group, and of those who have lost their devices.

import { openEnvelope, sealWelcomeMessage } from "../../client/index.js";
import { encodeHex, equalBytes } from "../../protocol/encodings.js";
import { type Change, countingOf, type Joiner } from "../mls/changes.js";
import { joinerOf } from "../mls/joiners.js";
import { isSignedBy, memberOf } from "../mls/members.js";
import type { Leaf } from "../mls/mls.js";
import { isRecovered } from "../mls/recovered-devices.js";
import type { Transaction } from "../store/ledger.js";
import { changePrefix, countsPrefix, inGroup, keyOf, requestPrefix, seenPrefix } from "../store/record-keys.js";
import type { FollowUp } from "./follow-ups.js";
import { invitedText } from "./invitations.js";
import type { Membership } from "./membership.js";
import { type JoinRequest, readRequest } from "./request-encoding.js";
import { doorKeysOf } from "./request-keys.js";
import { actsFirst, standInMillis, wantOnce } from "./waiting-changes.js";
import { writeRefusal } from "./welcomes.js";

interface OpenedRequest {
  request: JoinRequest;
  invitation?: string;
  since?: number;
}

type Requester = NonNullable<Awaited<ReturnType<typeof joinerOf>>>;

/** People who have asked to be added by one invitation, and wait for approval. */
const maxRequests = 50;
/** Those who need none, and wait for their commits. */
const maxAdmits = 100;
/** Devices of one user that are added again in a day. Each takes a commit slot of the member who adds it. */
const maxReadmits = 10;
const daySeconds = 86_400;

/** Epochs of a group whose doors are tried for all that no key opens, with its invitations. */
const newestDoors = 32;
/** Tries of the doors of older epochs in an hour. Each takes up to 0.2 ms. */
const maxOlderTries = 100_000;

interface Door {
  secret: Uint8Array;
  since: number;
}

/** Opens what may be a request to be added. A flood of envelopes that no key opens costs a bounded time: meanwhile, a request by the door of an older epoch is not found. */
export class RequestOpener {
  #hour = 0;
  #tries = 0;

  async open(
    memberships: Iterable<Membership>,
    envelope: Uint8Array,
    nowMillis: number,
  ): Promise<(OpenedRequest & { membership: Membership }) | undefined> {
    const followed = [...memberships].filter(({ isFollowed }) => isFollowed);
    const all = followed.map((membership) => ({ membership, past: pastDoors(membership) }));
    for (const { membership, past } of all) {
      const { stored, view, context } = membership;
      const present = stored.door === undefined ? [] : [{ secret: stored.door, since: Number(view.epoch) }];
      const invitations = context.invitations.map(({ id, key }) => ({ secret: key, invitation: id }));
      const newest = [...present, ...past.slice(-newestDoors), ...invitations];
      const opened = await openRequest(membership, envelope, newest);
      if (opened !== undefined) return { membership, ...opened };
    }
    const older = all.map(({ membership, past }) => ({ membership, doors: past.slice(0, -newestDoors) }));
    const tries = older.reduce((sum, { doors }) => sum + doors.length, 0);
    if (!this.#mayTry(tries, nowMillis)) return undefined;
    for (const { membership, doors } of older) {
      const opened = await openRequest(membership, envelope, doors);
      if (opened !== undefined) return { membership, ...opened };
    }
    return undefined;
  }

  #mayTry(tries: number, nowMillis: number): boolean {
    const hour = Math.floor(nowMillis / 3_600_000);
    if (hour !== this.#hour) this.#tries = 0;
    this.#hour = hour;
    if (this.#tries > 0 && this.#tries + tries > maxOlderTries) return false;
    this.#tries += tries;
    return true;
  }
}

function pastDoors({ stored: { log = [] } }: Membership): Door[] {
  return log.flatMap(({ epoch, door }) => (door === undefined ? [] : [{ secret: door, since: epoch }]));
}

/** It came by the door of the epoch `since`, or by an invitation. */
async function openRequest(
  membership: Membership,
  envelope: Uint8Array,
  doors: readonly (Door | { secret: Uint8Array; invitation: string })[],
): Promise<OpenedRequest | undefined> {
  for (const { secret, ...by } of doors) {
    const content = openEnvelope(await doorKeysOf(secret), envelope);
    const request = content && readRequest(content);
    if (request === undefined) continue;
    const text = "invitation" in by && invitedText({ group: membership.id, ...by }, request.keyPackage);
    const { signature = "" } = request;
    return !text || isSignedBy(encodeHex(secret), { text, signature }) ? { request, ...by } : undefined;
  }
  return undefined;
}

/** Adds the sender of a request, or asks the application whether to. Commits the transaction. */
export async function handleRequest(
  transaction: Transaction,
  membership: Membership,
  { request, invitation, since, hash, receivedAtSeconds }: OpenedRequest & { hash: string; receivedAtSeconds: number },
): Promise<FollowUp[]> {
  transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
  const joiner = await joinerOf(membership.core.mls, request.keyPackage);
  if (joiner !== undefined && since !== undefined) await readmit(transaction, membership, { joiner, since });
  if (joiner !== undefined && invitation !== undefined)
    await admit(transaction, membership, { joiner, invitation, epoch: request.epoch });
  await transaction.commit();
  return [{ kind: "change", group: membership.id }];
}

/** Only a device that is in the group now can ask by its door, and only for itself, or a new one of a user who has lost all others. One such request of each user waits. */
async function readmit(
  transaction: Transaction,
  membership: Membership,
  { joiner: { added, user, signatureKey, replaces }, since }: { joiner: Requester; since: number },
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
  const counted = { what: "readmit", user, most: maxReadmits };
  if (waiting.some(([, one]) => isSame(one)) || (await countToday(transaction, membership, counted)))
    await wantOnce(transaction, membership, { change, isSame });
}

/** Counts what a user causes in a day. False if that is too much. */
async function countToday(
  transaction: Transaction,
  membership: Membership,
  { what, user, most }: { what: string; user: string; most: number },
): Promise<boolean> {
  const key = keyOf(inGroup(countsPrefix, membership.id), `${what}-${user}`);
  const at = membership.nowSeconds();
  const known = await transaction.read(key);
  const count = known !== undefined && known.at > at - daySeconds ? known.count : 0;
  if (count >= most) return false;
  transaction.set(key, { at: count === 0 ? at : (known?.at ?? at), count: count + 1 });
  return true;
}

async function admit(
  transaction: Transaction,
  membership: Membership,
  { joiner, invitation, epoch }: { joiner: Requester; invitation: string; epoch: number | undefined },
): Promise<void> {
  const { user, userKeys, name, address } = joiner;
  const added: Joiner = { ...joiner.added, ...(epoch !== undefined && { saidEpoch: epoch }) };
  const wasRemoved = membership.context.banned.includes(user);
  if (!membership.may("invite") || !membership.core.users.areKnown(userKeys)) return;
  const notBeforeMillis = actsFirst(membership, "invite") ? 0 : membership.core.nowMillis() + standInMillis;
  const found = membership.context.invitations.find((one) => one.id === invitation);
  if (found !== undefined && (found.needsApproval || wasRemoved)) {
    // A repeated request replaces the earlier one.
    const request = added.device;
    const key = keyOf(inGroup(requestPrefix, membership.id), request);
    const earlier = await transaction.read(key);
    const count = await requestsBy(transaction, membership, invitation);
    if (earlier?.invitation !== invitation && count >= maxRequests) return;
    const asked = { name, user, address, wasRemoved };
    transaction.set(key, { ...asked, invitation, joiner: added, at: membership.nowSeconds() });
    // Anyone with the link could repeat it all day.
    if (earlier === undefined) transaction.event({ type: "joinRequest", group: membership.id, request, ...asked });
  } else if (found !== undefined) {
    const change: Change = { kind: "admit", invitation, joiner: added, notBeforeMillis };
    const isSame = (one: Change) => one.kind === "admit" && !one.isApproved && one.joiner.device === added.device;
    const isByLink = (one: Change) => one.kind === "admit" && one.invitation === invitation;
    await wantOnce(transaction, membership, { change, isSame, share: { isOf: isByLink, room: maxAdmits } });
  }
}

/** How many wait for approval. Those by invitations that have ended make way. */
async function requestsBy(transaction: Transaction, membership: Membership, invitation: string): Promise<number> {
  const counting = countingOf(membership.context, membership.core.nowMillis()).map(({ id }) => id);
  let count = 0;
  for (const [key, { invitation: by }] of await transaction.readAll(inGroup(requestPrefix, membership.id))) {
    if (!counting.includes(by)) transaction.remove(key);
    else if (by === invitation) count += 1;
  }
  return count;
}

/** Tells the sender of a request that it is refused. */
export async function tellRefused(
  transaction: Transaction,
  membership: Membership,
  { address, initKey }: Joiner,
): Promise<void> {
  const { mls, sealing, nowMillis } = membership.core;
  const recipient = { cipherSuite: mls.cipherSuite, initKey };
  const sealed = { to: address, recipient, welcome: writeRefusal(), isAutomatic: true };
  const copies = [await sealWelcomeMessage(sealed, sealing)];
  membership.outbox.post(transaction, { group: membership.id, copies, isQuiet: true, createdAtMillis: nowMillis() });
}
