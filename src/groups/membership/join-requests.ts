// Requests to be added by an invitation: who is added at once, and who waits for approval.

import { sealWelcomeMessage } from "../../client/index.js";
import { isBanned } from "../mls/bans.js";
import type { Change, Joiner } from "../mls/changes.js";
import { countingOf } from "../mls/invitations.js";
import { type Added, joinerOf } from "../mls/joiners.js";
import type { Transaction } from "../store/ledger.js";
import { inGroup, keyOf, requestPrefix, seenPrefix } from "../store/record-keys.js";
import type { FollowUp } from "./follow-ups.js";
import type { Membership } from "./membership.js";
import { readmit } from "./readmitting-members.js";
import type { OpenedRequest } from "./request-opening.js";
import { actsFirst, standInMillis, wantOnce } from "./waiting-changes.js";
import { writeRefusal } from "./welcomes.js";

/** The most people who wait for approval by one invitation. */
const maxRequests = 50;
/** The most people who need no approval and wait for their commits. */
const maxAdmits = 100;

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

async function admit(
  transaction: Transaction,
  membership: Membership,
  { joiner, invitation, epoch }: { joiner: Added; invitation: string; epoch: number | undefined },
): Promise<void> {
  const { user, userKeys, name, address } = joiner;
  const added: Joiner = { ...joiner.added, ...(epoch !== undefined && { saidEpoch: epoch }) };
  const wasRemoved = isBanned(membership.context, user);
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

/** How many wait for approval. Requests by ended invitations are dropped. */
async function requestsBy(transaction: Transaction, membership: Membership, invitation: string): Promise<number> {
  const counting = countingOf(membership.context, membership.core.nowMillis()).map(({ id }) => id);
  let count = 0;
  for (const [key, { invitation: by }] of await transaction.readAll(inGroup(requestPrefix, membership.id))) {
    if (!counting.includes(by)) transaction.remove(key);
    else if (by === invitation) count += 1;
  }
  return count;
}

/** Tells the sender of a request that it was refused. */
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
