// Judges the commit in a slot for this device: valid, void, or unusable. The rules are in judging/commit-rules.ts.

import { type CommitValidity, type EpochKeys, openEnvelope } from "../../client/index.js";
import { type Grounds, mayReplace, readSlotContent, type SlotContent } from "../mls/commit-replacement.js";
import { canBeSettled } from "../mls/dispute-majority.js";
import type { GroupView, SignedCommit } from "../mls/mls.js";
import { isAllowed } from "../mls/permissions.js";
import type { LoggedCommit } from "../store/records.js";
import { hashOf } from "./known-disputes.js";
import type { At, Evaluated, Membership } from "./membership.js";

export async function validityOf(membership: Membership, content: Uint8Array): Promise<CommitValidity> {
  const { result, committer } = await evaluateCommit(membership, content);
  if (result.kind !== "unusable") return result.kind;
  const { view } = membership;
  return committer !== view.ownLeaf && canBeSettled(view, committer) ? "disputed" : "unusable";
}

export async function validityOfReplacement(
  membership: Membership,
  content: Uint8Array,
  replaced: Uint8Array,
): Promise<CommitValidity> {
  if (contentIn(membership.keys, content)?.grounds?.commit !== hashOf(replaced)) return "void";
  membership.present.replacements.add(hashOf(content));
  return validityOf(membership, content);
}

/** Whether an attempt after the commit that ended an epoch contains its replacement. */
export async function isReplacedBy(
  membership: Membership,
  { logged, ...at }: At & { logged: LoggedCommit },
  content: Uint8Array,
): Promise<boolean> {
  const found = contentIn(at.keys, content);
  if (found === undefined || found.grounds?.commit !== hashOf(logged.content)) return false;
  return (await processCommit(membership, at, { found })).result.kind !== "void";
}

/** Judges the commit in a slot's content for this member. A replacement is void unless it comes after the commit that it replaces. */
export async function evaluateCommit(membership: Membership, content: Uint8Array): Promise<Evaluated> {
  const commit = hashOf(content);
  const state = membership.mlsState;
  const { present } = membership;
  const { repair: sent } = present.dispute;
  const repair = sent?.commit === commit ? sent.sealed : undefined;
  const known = present.evaluated;
  if (known?.content === content && known.state === state && known.repair === repair) return known;
  const found = contentIn(membership.keys, content);
  const isInPlace = found?.grounds === undefined || present.replacements.has(commit);
  const processed =
    found === undefined || !isInPlace
      ? { result: { kind: "void" as const }, committer: -1 }
      : await processCommit(membership, { state, view: membership.view }, { found, repair });
  present.evaluated = { content, state, repair, ...processed };
  return present.evaluated;
}

export async function processCommit(
  membership: Membership,
  { state, view }: Pick<At, "state" | "view">,
  { found: { commit, grounds }, repair }: { found: SlotContent; repair?: Uint8Array | undefined },
): Promise<Pick<Evaluated, "result" | "committer">> {
  let committer = -1;
  const judge = (signed: SignedCommit) => {
    ({ committer } = signed);
    return mayCount(view, signed, grounds);
  };
  const { mls } = membership.core;
  const result =
    repair === undefined || mls.processRepaired === undefined
      ? await mls.process(state, commit, judge)
      : await mls.processRepaired(state, { commit, isAllowed: judge, repair });
  return { result, committer };
}

/** Undefined if the content is no envelope of the epoch. */
export function contentIn(keys: EpochKeys, envelope: Uint8Array): SlotContent | undefined {
  const opened = openEnvelope(keys, envelope);
  try {
    return opened && readSlotContent(opened);
  } catch {
    return undefined;
  }
}

export function mayCount(view: GroupView, signed: SignedCommit, grounds: Grounds | undefined): boolean {
  return grounds === undefined ? isAllowed(view, signed) : mayReplace(view, signed, grounds);
}
