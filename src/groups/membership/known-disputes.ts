// What this device knows of disputed commits: what members have said about them, and what it has to do. There is one record for each epoch of
// a group, for as long as the epoch's state is kept.

import { sha256 } from "@noble/hashes/sha2.js";
import { decodeBase64, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import type { Grounds } from "../mls/commit-replacement.js";
import { isMajority } from "../mls/dispute-majority.js";
import { isStatement, readStatement, type Statement } from "../mls/dispute-statements.js";
import type { GroupView } from "../mls/mls.js";
import type { Transaction } from "../store/ledger.js";
import type { Key } from "../store/record-keys.js";
import type { Dispute } from "../store/records.js";

/** Statements of one member about commits of one epoch. */
const maxStatements = 8;
/** The wait until the next members help. */
const repairStepMillis = 5_000;

/** What members send each other about a commit. */
type Sent = { kind: "statement"; statement: Statement } | { kind: "repair"; commit: string; sealed: Uint8Array };

export function hashOf(content: Uint8Array): string {
  return encodeHex(sha256(content));
}

export async function readDispute(transaction: Transaction, key: Key<Dispute>): Promise<Dispute> {
  return (await transaction.read(key)) ?? { statements: [] };
}

export function encodeSent(sent: Sent): Uint8Array {
  if (sent.kind === "statement") return utf8(JSON.stringify(sent.statement));
  return utf8(JSON.stringify({ commit: sent.commit, repair: encodeBase64(sent.sealed) }));
}

/** Undefined if it has another form. */
export function readSent(bytes: Uint8Array): Sent | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value.repair === "string") {
      const sealed = decodeBase64(value.repair);
      return sealed && { kind: "repair", commit: String(value.commit), sealed: Uint8Array.from(sealed) };
    }
    const statement = readStatement(value);
    return statement && { kind: "statement", statement };
  } catch {
    return undefined;
  }
}

/** Keeps a statement if it is signed and new. "Can use it", which follows a repair, is final. */
export function noteStatement(dispute: Dispute, view: GroupView, statement: Statement): Dispute | undefined {
  const { statements } = dispute;
  const known = statementOf(dispute, statement);
  const isNew = known === undefined || (statement.isUsable && !known.isUsable);
  const isTooMuch = statements.filter(({ leaf }) => leaf === statement.leaf).length >= maxStatements;
  if (!isNew || (known === undefined && isTooMuch) || !isStatement(view, statement)) return undefined;
  return { ...dispute, statements: [...statements.filter((one) => one !== known), statement] };
}

/** What a member has said about a commit. */
export function statementOf(
  { statements }: Dispute,
  { leaf, commit }: Pick<Statement, "leaf" | "commit">,
): Statement | undefined {
  return statements.find((one) => one.leaf === leaf && one.commit === commit);
}

/** Members who say that they cannot use the commit. */
export function complaintsOf({ statements }: Dispute, commit: string): Statement[] {
  return statements.filter((one) => one.commit === commit && !one.isUsable);
}

/** The grounds on which another commit may replace this one; undefined while too few members cannot use it. */
export function groundsOf(
  dispute: Dispute,
  view: GroupView,
  { commit, committer }: Pick<Statement, "commit" | "committer">,
): Grounds | undefined {
  const stated = complaintsOf(dispute, commit).filter((one) => one.committer === committer);
  if (!isMajority(view, { committer, leaves: stated.map(({ leaf }) => leaf) })) return undefined;
  return { commit, committer, statements: stated.map(({ leaf, signature }) => ({ leaf, signature })) };
}

/**
 * How long a member waits before it helps another one: the first helps at once, then twice as many each time. So a few who do not help hold
 * nothing up, and not everybody does the work.
 */
export function repairDelay(
  view: GroupView,
  { committer, commit, dispute }: { committer: number; commit: string; dispute: Dispute },
) {
  const complaining = complaintsOf(dispute, commit).map(({ leaf }) => leaf);
  const able = view.leaves
    .map(({ index }) => index)
    .filter((leaf) => leaf !== committer && !complaining.includes(leaf));
  return repairStepMillis * Math.ceil(Math.log2(1 + Math.max(0, able.indexOf(view.ownLeaf))));
}
