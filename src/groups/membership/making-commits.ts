// Makes a commit of this device from a stored change.

import { type MadeCommit, NotLoadedError, sealEnvelope } from "../../client/index.js";
import { encodeRecord } from "../encoding/records.js";
import { type Change, type Plan, permissionFor, planOf } from "../mls/changes.js";
import { GroupFullError } from "../mls/group-size.js";
import { encodeIdentity } from "../mls/members.js";
import type { GroupView, MadeChange, Change as MlsChange, ProposalKind } from "../mls/mls.js";
import { extensionsWith, isAllowed, NotPermittedError } from "../mls/permissions.js";
import type { DeviceCore } from "../sending/device-core.js";
import { isFinal } from "../sending/retry.js";
import type { OwnCommit } from "./applying-commits.js";
import type { Membership } from "./membership.js";
import { readWelcomes } from "./welcomes.js";

/** The MLS library, or a change itself, does not allow the commit. */
export class UnmakeableError extends Error {
  constructor(cause: unknown) {
    super(`the change cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "UnmakeableError";
  }
}

/** Whether a change that has failed with this is given up. After anything else it waits, and is tried again. */
export function cannotBeMade(problem: unknown): boolean {
  const refusals = [NotPermittedError, GroupFullError, UnmakeableError];
  return refusals.some((refusal) => problem instanceof refusal) || isFinal(problem);
}

/** The commit that a change needs in the present state of the group; undefined if nothing is left to do. */
export function planIn(
  { account, nowMillis }: DeviceCore,
  { isActive, view, context }: Membership,
  change: Change,
): Plan | undefined {
  if (!isActive) return undefined;
  return planOf(change, {
    view,
    context,
    nowMillis: nowMillis(),
    identityFor: (signatureKey) => encodeIdentity(account, { ...account, signatureKey }),
  });
}

/** The commit of the change that is stored under a key. Throws NotPermittedError, GroupFullError or UnmakeableError, and NotLoadedError if that passes. */
export async function makeCommit(
  core: DeviceCore,
  membership: Membership,
  wanted: { key: string; change: Change },
): Promise<MadeCommit | undefined> {
  try {
    return await makeNow(core, membership, wanted);
  } catch (problem) {
    // Nothing here depends on others, so a retry would fail in the same way and hold up all later changes.
    const known = [NotPermittedError, GroupFullError, NotLoadedError];
    throw known.some((one) => problem instanceof one) ? problem : new UnmakeableError(problem);
  }
}

/** Throws if members would judge the commit void: a library may add a key package that the rules refuse. */
export async function makeCounting(
  { mls }: Pick<DeviceCore, "mls">,
  state: unknown,
  change: MlsChange,
): Promise<MadeChange<unknown>> {
  const made = await mls.commit(state, change);
  if (change.add !== undefined) await mls.follow(mls.outline(state), [made.commit], () => true);
  return made;
}

/** A commit that gives this device's leaf new keys. */
export async function makeRenewal(core: DeviceCore, membership: Membership): Promise<MadeCommit> {
  return sealed(core, membership, { made: await core.mls.commit(membership.mlsState, {}), joiners: [] });
}

async function makeNow(
  core: DeviceCore,
  membership: Membership,
  { key, change }: { key: string; change: Change },
): Promise<MadeCommit | undefined> {
  const plan = planIn(core, membership, change);
  if (plan === undefined) return undefined;
  const { view, mlsState } = membership;
  const proposals = await proposalsOf(core, plan.change, view);
  const own = view.leaves.find(({ index }) => index === view.ownLeaf);
  const { identity } = plan.change;
  const leaf = identity && own && { ...own, identity };
  if (!isAllowed(view, { committer: view.ownLeaf, proposals, ...(leaf && { leaf }) }))
    throw new NotPermittedError(permissionFor[change.kind]);
  return sealed(core, membership, {
    made: await makeCounting(core, mlsState, plan.change),
    joiners: plan.joiners.map(({ keyPackage: _, ...joiner }) => ({
      ...joiner,
      // They have asked.
      ...(change.kind !== "add" && { isAutomatic: true as const }),
    })),
    change: key,
  });
}

async function proposalsOf(
  { mls }: DeviceCore,
  { add = [], remove = [], extensions }: MlsChange,
  view: GroupView,
): Promise<ProposalKind[]> {
  const added = await Promise.all(add.map((keyPackage) => mls.readKeyPackage(keyPackage)));
  return [
    ...added.map((one) => ({ kind: "add" as const, ...one })),
    ...remove.map((leaf) => ({ kind: "remove" as const, leaf })),
    ...(extensions === undefined
      ? []
      : [{ kind: "extensions" as const, extensions: extensionsWith(view, extensions) }]),
  ];
}

function sealed(
  { mls }: DeviceCore,
  { keys }: Membership,
  { made, ...rest }: Pick<OwnCommit, "joiners" | "change"> & { made: MadeChange<unknown> },
): MadeCommit {
  const { state, commit, welcome } = made;
  const own: OwnCommit = { next: mls.save(state), ...(welcome && { welcomes: readWelcomes(welcome) }), ...rest };
  return { content: sealEnvelope(keys, commit), state: encodeRecord(own) };
}
