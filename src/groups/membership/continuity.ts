// Proof of continuity: the commits since the epoch that a returning device knew. They show it that a Welcome continues that group, and does not lead
// into another one with the same id. Each is signed by a member of the tree of its time, and together they make the transcript hash of the new epoch
// (RFC 9420, section 8.2). The first is the one that counts for the slot of the known epoch, which the receipt of the slot's relay proves.
//
// Members keep commits for that, up to a number of bytes. Once all have dropped a commit, nobody can prove continuity across it.

import type { Exporter } from "../../client/index.js";
import { commitSlotKey, isSlotReceipt, type SlotReceipt, type SlotRelay } from "../../client/index.js";
import { decodeBase64, encodeBase64 } from "../../protocol/encodings.js";
import type { LoggedCommit } from "../store/records.js";

/** The proof that comes with a Welcome. */
export interface Proof {
  /** The epoch that the first commit ends. */
  epoch: number;
  first: Pick<LoggedCommit, "content" | "receipt" | "attempt">;
  commits: Uint8Array[];
}

/** Kept per group, for returning members. */
export const maxLogged = 1_000;
export const maxLoggedBytes = 8 * 1024 * 1024;
/** A larger proof would not fit into a message beside the GroupInfo. */
const maxProofBytes = 256 * 1024;
const maxProofCommits = maxLogged;

/** Undefined if there are too many commits for one message. */
export function proofOf(logged: readonly LoggedCommit[]): Proof | undefined {
  const [first] = logged;
  const bytes = logged.reduce((sum, { commit }) => sum + commit.length, 0);
  if (first === undefined || bytes > maxProofBytes) return undefined;
  const { epoch, content, receipt, attempt } = first;
  return { epoch, first: { content, receipt, attempt }, commits: logged.map(({ commit }) => commit) };
}

/** Whether the first commit has taken an attempt of the epoch with this exporter. `slots` are the attempts that the device has reached. */
export async function isWinner(
  { content, receipt, attempt }: Proof["first"],
  { relay, exporter, slots }: { relay: SlotRelay; exporter: Exporter; slots: readonly string[] },
): Promise<boolean> {
  const slot = attempt === 0 ? (await commitSlotKey(relay, { exporter, attempt })).slot : slots[attempt];
  if (slot === undefined) return false;
  return isSlotReceipt(receipt, { relay: { ...relay, domain: relay.domain.toLowerCase() }, slot, content });
}

export function encodeProof({ epoch, first, commits }: Proof): object {
  const { content, receipt, attempt } = first;
  return { epoch, content: encodeBase64(content), receipt, attempt, commits: commits.map(encodeBase64) };
}

/** Throws if it has another form. */
export function readProof(value: Record<string, unknown>): Proof {
  const { epoch, content, receipt, attempt, commits } = value;
  const areNumbers = [epoch, attempt].every((one) => Number.isSafeInteger(one) && (one as number) >= 0);
  if (!areNumbers || !Array.isArray(commits) || commits.length > maxProofCommits || typeof receipt !== "object")
    throw new Error("the proof has another form");
  const first = { content: bytesIn(content), receipt: receipt as SlotReceipt, attempt: attempt as number };
  return { epoch: epoch as number, first, commits: commits.map(bytesIn) };
}

export function bytesIn(value: unknown): Uint8Array {
  const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
  if (bytes === undefined) throw new Error("bytes are missing");
  return Uint8Array.from(bytes);
}
