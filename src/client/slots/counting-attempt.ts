// Which attempt of an epoch counts: the first one whose content is not void, or, where members settle disputes, the last one that replaces it.

import type { CallOptions } from "../connection/calls.js";
import type { Attempts } from "./attempts.js";
import type { CommitValidity, Rejoin, RejoinReason } from "./commit-outcomes.js";
import type { SlotReceipt } from "./slot-receipts.js";

/** The content of an attempt, and the relay's proof that the attempt has taken it. */
export type Decided = { kind: "decided"; content: Uint8Array; receipt: SlotReceipt; attempt: number };
type Free = { kind: "free"; attempt: number };
/** The commit that counts is disputed, and this attempt is free for one that replaces it. */
export type Open = { kind: "disputed"; content: Uint8Array; attempt: number };
/** What counts in an epoch that is no longer free, or why this member must join again. */
export type Decision = Decided | Open | Rejoin;

/** The member's own judgement (`CommitSlotsOptions`). */
interface Judges {
  evaluate(content: Uint8Array): CommitValidity | Promise<CommitValidity>;
  disputes?: { evaluate(content: Uint8Array, replaced: Uint8Array): CommitValidity | Promise<CommitValidity> };
}

/** What counts as far as the attempts have been read. */
type Counting = { found: Decided; validity: CommitValidity };

/** The decision of an epoch, or its first free attempt if all before it are void. */
export async function countingAttempt(attempts: Attempts, judges: Judges, call: CallOptions): Promise<Decision | Free> {
  for (let attempt = 0; ; attempt++) {
    const found = await readAttempt(attempts, attempt, call);
    if (found.kind !== "decided") return found;
    const validity = await judges.evaluate(found.content);
    if (validity !== "void") return lastReplacement(attempts, { found, validity, disputes: judges.disputes }, call);
  }
}

/** The decision of an epoch in which the content of an attempt counts unless a later attempt replaces it. */
export async function lastReplacement(
  attempts: Attempts,
  { disputes, ...first }: Counting & { disputes: Judges["disputes"] | undefined },
  call: CallOptions,
): Promise<Decision> {
  let counting: Counting = first;
  let attempt = first.found.attempt + 1;
  let isFree = false;
  for (; disputes !== undefined && (await attempts.at(attempt)) !== undefined; attempt++) {
    const found = await readAttempt(attempts, attempt, call);
    if (found.kind === "rejoin") return found;
    isFree = found.kind === "free";
    if (found.kind === "free") break;
    const validity = await disputes.evaluate(found.content, counting.found.content);
    if (validity !== "void") counting = { found, validity };
  }
  const { found, validity } = counting;
  if (validity === "valid") return found;
  const isOpen = validity === "disputed" && isFree;
  return isOpen ? { kind: "disputed", content: found.content, attempt } : rejoin("unusable commit");
}

/** What one attempt has, whatever becomes of it. */
export async function readAttempt(
  attempts: Attempts,
  attempt: number,
  call: CallOptions,
): Promise<Decided | Free | Rejoin> {
  const found = await attempts.read(attempt, call);
  if (found.kind === "free") return { kind: "free", attempt };
  if (found.kind === "expired") return rejoin("slot expired");
  if (found.kind === "over") return rejoin("no attempt left");
  return { ...found, kind: "decided", attempt };
}

export function rejoin(reason: RejoinReason): Rejoin {
  return { kind: "rejoin", reason };
}
