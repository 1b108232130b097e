// How this device enters a group, and how its user starts to take part.

import { encodeHex } from "../../protocol/encodings.js";
import { groupNameIn } from "../mls/group-context.js";
import { type Member, membersOf } from "../mls/members.js";
import { oweProfile } from "../sending/profile-messages.js";
import { noteChat } from "../store/chats.js";
import type { Transaction } from "../store/ledger.js";
import { disputeKey, keyOf, outlinePrefix, pendingPrefix, unacceptedPrefix } from "../store/record-keys.js";
import type { Consent, LoggedCommit, StoredMembership } from "../store/records.js";
import { keepCommits } from "./commit-log.js";
import { readDispute } from "./known-disputes.js";
import { renewAddress } from "./member-addresses.js";
import { Membership, type MembershipParts } from "./membership.js";

/** Enters a group by founding it or by a Welcome. `old` is the membership that it replaces. Commits the transaction. */
export async function enterGroup(
  transaction: Transaction,
  parts: MembershipParts,
  {
    state,
    old,
    by,
    followed = [],
    consent = "allowed",
    invitedBy,
  }: {
    state: unknown;
    old?: Membership | undefined;
    by?: Member | undefined;
    followed?: readonly LoggedCommit[];
    consent?: Consent;
    invitedBy?: Member | undefined;
  },
): Promise<Membership> {
  const { core } = parts;
  const id = encodeHex(core.mls.view(state).groupId);
  const membership = old ?? new Membership(parts, id, { stored: { state: "active", name: "", epochs: [] } });
  const { epochs } = membership.stored;
  const log = keepCommits(transaction, membership, followed);
  // After each connection, this device checks whether the commit that added it again was replaced.
  for (const { epoch, content } of followed)
    if (content.length > 0)
      membership.keepDispute(transaction, epoch, await readDispute(transaction, disputeKey(id, epoch)));
  const invited = { ...(consent !== "allowed" && { consent }), ...(invitedBy && { invitedBy }) };
  const stored: StoredMembership = { state: "active", ...invited, name: "", epochs, log };
  transaction.remove(keyOf(outlinePrefix, id));
  if (membership.epoch !== undefined) membership.keepPast(transaction);
  transaction.remove(keyOf(pendingPrefix, id));
  await membership.moveTo(transaction, { stored, state });
  const view = core.mls.view(state);
  core.users.note(transaction, id, [undefined, view]);
  const name = groupNameIn(view);
  if (consent === "allowed") {
    renewAddress(transaction, membership, view);
    if (membersOf(view).length > 1) oweProfile(transaction, core, { id });
    transaction.event({ type: "joinedGroup", group: id, name, ...(by && { by }) });
  } else {
    const members = membersOf(view).length;
    transaction.event({ type: "invited", group: id, name, members, ...(invitedBy && { by: invitedBy }) });
  }
  await noteChat(transaction, id, { last: core.ledger.nextNumber() });
  transaction.afterwards(() => membership.list());
  await transaction.commit();
  return membership;
}

/** The user takes part from now on. Commits the transaction. */
export async function acceptGroup(transaction: Transaction, membership: Membership): Promise<void> {
  if (membership.isAccepted) return transaction.commit();
  const { consent: _, ...stored } = membership.stored;
  membership.change(transaction, stored);
  transaction.remove(keyOf(unacceptedPrefix, membership.id));
  if (membership.isActive) {
    renewAddress(transaction, membership, membership.view);
    oweProfile(transaction, membership.core, membership);
    transaction.event({ type: "joinedGroup", group: membership.id, name: membership.name });
  }
  await transaction.commit();
}
