// An epoch as everybody may know it, and the commits that lead from one to the next, followed without keys: RFC 9420, sections 8.2 and 12.4.2, as far as
// they need no secret.

import type { CiphersuiteImpl, ClientConfig, ClientState } from "ts-mls";
import { nextEpochContext } from "ts-mls/clientState.js";
import { decodeGroupContext } from "ts-mls/groupContext.js";
import { decodeRatchetTree } from "ts-mls/ratchetTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { judgeCommit } from "../judging/commit-rules.js";
import type { Outline } from "./ts-mls-reading.js";

export function decodeOutline(bytes: Uint8Array): Outline {
  const [groupContext, treeAt] = decodeGroupContext(bytes, 0) ?? unreadable();
  const [ratchetTree, treeBytes] = decodeRatchetTree(bytes, treeAt) ?? unreadable();
  return { groupContext, ratchetTree, confirmationTag: bytes.slice(treeAt + treeBytes) };
}

function unreadable(): never {
  throw new Error("the outline cannot be read");
}

/** The epoch to which a commit leads. Throws if the members of the epoch before would not follow it, as far as that can be seen without keys. */
export async function nextOutline(
  before: Outline,
  commit: Pick<Parameters<typeof judgeCommit>[1], "bytes" | "isAllowed">,
  { config, suite }: { config: ClientConfig; suite: CiphersuiteImpl },
): Promise<Outline> {
  // Nothing is used of a state that only members have.
  const state = { ...before, unappliedProposals: {}, privatePath: { leafIndex: 0 }, clientConfig: config };
  const judged = await judgeCommit(state as unknown as ClientState, { ...commit, isOutside: true }, suite);
  if (judged.kind === "void") throw new Error(`the commit is void: ${judged.broken}`);
  const { content, message, tree, context } = judged.commit;
  const { auth } = message;
  if (!("confirmationTag" in auth)) throw new Error("the commit has no confirmation tag");
  const groupContext = await nextEpochContext(
    context,
    "mls_public_message",
    content,
    auth.signature,
    await treeHashRoot(tree, suite.hash),
    before.confirmationTag,
    suite.hash,
  );
  return { groupContext, ratchetTree: tree, confirmationTag: auth.confirmationTag };
}
