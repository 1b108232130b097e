// Commits of a member whose library was changed.

import {
  type CiphersuiteImpl,
  type ClientState,
  emptyPskIndex,
  encodeMlsMessage,
  type MLSMessage,
  type Proposal,
} from "ts-mls";
import { applyProposals, nextEpochContext } from "ts-mls/clientState.js";
import { createConfirmationTag, createContentCommitSignature } from "ts-mls/framedContent.js";
import { initializeEpoch } from "ts-mls/keySchedule.js";
import { signLeafNodeCommit } from "ts-mls/leafNode.js";
import { protectPublicMessage } from "ts-mls/messageProtectionPublic.js";
import { getCommitSecret } from "ts-mls/pathSecrets.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { leafToNodeIndex, toLeafIndex, toNodeIndex } from "ts-mls/treemath.js";
import { createUpdatePath, type UpdatePath } from "ts-mls/updatePath.js";

type PublicMessage = Extract<MLSMessage, { wireformat: "mls_public_message" }>["publicMessage"];

export interface Forgery {
  proposals?: readonly Proposal[];
  /** Without it, there is no path if the proposals need none. */
  path?: (path: UpdatePath) => UpdatePath | undefined | Promise<UpdatePath | undefined>;
  tag?: (tag: Uint8Array) => Uint8Array;
  /** As another group, epoch or member would say. */
  content?: { groupId?: Uint8Array; epoch?: bigint };
  authenticatedData?: Uint8Array;
  /** After it was signed. */
  message?: (message: PublicMessage) => PublicMessage;
  bytes?: (bytes: Uint8Array) => Uint8Array;
  /** Proposals that the library of the forger does not apply, such as those by reference. */
  given?: readonly object[];
}

/** A commit that is signed as it should be, with these differences. */
export async function forgeCommit(
  state: ClientState,
  suite: CiphersuiteImpl,
  {
    proposals = [],
    path: changePath,
    tag: changeTag,
    content: other,
    authenticatedData,
    message,
    bytes,
    given,
  }: Forgery,
): Promise<Uint8Array> {
  const leafIndex = toLeafIndex(state.privatePath.leafIndex);
  const inline = proposals.map((proposal) => ({ proposalOrRefType: "proposal" as const, proposal }));
  const careless = { ...suite, signature: { ...suite.signature, verify: async () => true } };
  const applyAs = (isOwn: boolean) => applyProposals(state, inline, leafIndex, emptyPskIndex, isOwn, careless);
  // What its maker would refuse, such as a key package that has expired, others may not.
  const applied = await applyAs(true).catch(() => applyAs(false).catch(() => undefined));
  const result = applied?.additionalResult;
  const added =
    result?.kind === "memberCommit" ? result.addedLeafNodes.map(([at]) => leafToNodeIndex(toLeafIndex(at))) : [];
  const extensions = result?.kind === "memberCommit" && result.extensions.length > 0 ? result.extensions : undefined;
  const context = extensions === undefined ? state.groupContext : { ...state.groupContext, extensions };
  const isPathless =
    changePath === undefined && proposals.length > 0 && proposals.every((one) => one.proposalType === "add");
  const start = applied?.tree ?? state.ratchetTree;
  const [tree, made, secrets] = isPathless
    ? [start, undefined, []]
    : await createUpdatePath(start, leafIndex, context, state.signaturePrivateKey, suite, added);
  const path = made && (changePath === undefined ? made : await changePath(made));
  const top = secrets.at(-1);
  const commitSecret =
    top === undefined
      ? new Uint8Array(suite.kdf.size)
      : await getCommitSecret(tree, toNodeIndex(top.nodeIndex), top.secret, suite.kdf);
  const signedIn = { ...state.groupContext, ...other };
  const { signature, framedContent } = await createContentCommitSignature(
    signedIn,
    "mls_public_message",
    { proposals: (given as typeof inline | undefined) ?? inline, path },
    { senderType: "member", leafIndex },
    authenticatedData ?? new Uint8Array(),
    state.signaturePrivateKey,
    suite.signature,
  );
  const treeHash = await treeHashRoot(tree, suite.hash);
  const next = await nextEpochContext(
    context,
    "mls_public_message",
    framedContent,
    signature,
    treeHash,
    state.confirmationTag,
    suite.hash,
  );
  const none = new Uint8Array(suite.kdf.size);
  const epoch = await initializeEpoch(state.keySchedule.initSecret, commitSecret, next, none, suite.kdf);
  const { confirmationKey } = epoch.keySchedule;
  const tag = await createConfirmationTag(confirmationKey, next.confirmedTranscriptHash, suite.hash);
  const publicMessage = await protectPublicMessage(
    state.keySchedule.membershipKey,
    signedIn,
    {
      wireformat: "mls_public_message",
      content: framedContent,
      auth: { contentType: "commit", signature, confirmationTag: changeTag?.(tag) ?? tag },
    },
    suite,
  );
  const changed = message?.(publicMessage as PublicMessage) ?? (publicMessage as PublicMessage);
  const encoded = encodeMlsMessage({ version: "mls10", wireformat: "mls_public_message", publicMessage: changed });
  return bytes?.(encoded) ?? encoded;
}

/** A path with another leaf of the committer, signed again. */
export function withLeaf(state: ClientState, suite: CiphersuiteImpl, change: Partial<UpdatePath["leafNode"]>) {
  return async (path: UpdatePath): Promise<UpdatePath> => {
    const { groupId } = state.groupContext;
    const signed = { ...path.leafNode, ...change, groupId, leafIndex: state.privatePath.leafIndex };
    return { ...path, leafNode: await signLeafNodeCommit(signed, state.signaturePrivateKey, suite.signature) };
  };
}

/** A path whose last node has other ciphertexts. */
export function withCiphertexts(change: (all: UpdatePath["nodes"][number]["encryptedPathSecret"]) => typeof all) {
  return (path: UpdatePath): UpdatePath => ({
    ...path,
    nodes: path.nodes.map((node, at) =>
      at === path.nodes.length - 1 ? { ...node, encryptedPathSecret: change(node.encryptedPathSecret) } : node,
    ),
  });
}
