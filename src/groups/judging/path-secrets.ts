// How one member uses a commit that counts: open the path secret that was sealed for them, and derive the next epoch. All who can open theirs
// get the same commit secret, because the keys that are derived from it must be the ones that all see.

import type { CiphersuiteImpl, ClientState, GroupContext, MLSMessage, RatchetTree } from "ts-mls";
import { nextEpochContext } from "ts-mls/clientState.js";
import { applyUpdatePathSecret } from "ts-mls/createCommit.js";
import { decryptWithLabel, encryptWithLabel } from "ts-mls/crypto/hpke.js";
import { deriveSecret } from "ts-mls/crypto/kdf.js";
import { verifyConfirmationTag } from "ts-mls/framedContent.js";
import { initializeEpoch } from "ts-mls/keySchedule.js";
import { pathToRoot } from "ts-mls/pathSecrets.js";
import { mergePrivateKeyPaths, type PrivateKeyPath, toPrivateKeyPath } from "ts-mls/privateKeyPath.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import {
  type LeafIndex,
  leafToNodeIndex,
  leafWidth,
  type NodeIndex,
  root,
  toLeafIndex,
  toNodeIndex,
} from "ts-mls/treemath.js";
import { firstCommonAncestor, type UpdatePath } from "ts-mls/updatePath.js";
import { concatBytes, encodeHex, equalBytes, utf8 } from "../../protocol/encodings.js";

export type PublicMessage = Extract<MLSMessage, { wireformat: "mls_public_message" }>["publicMessage"];
export type PublicCommit = Extract<PublicMessage["content"], { contentType: "commit" }>;

/** A commit that counts. */
export interface Counted {
  /** Of the epoch before. */
  state: ClientState;
  message: PublicMessage;
  content: PublicCommit;
  committer: LeafIndex;
  path: UpdatePath | undefined;
  /** After the proposals and the path. */
  tree: RatchetTree;
  /** The nodes of those who join. */
  joining: NodeIndex[];
  /** Of the epoch before, with the extensions of the next one. */
  context: GroupContext;
}

/** A path secret and the node that it belongs to. */
interface PathSecret {
  node: number;
  secret: Uint8Array;
}

/** The result of opening a path secret. */
interface Derived {
  commitSecret: Uint8Array;
  privatePath: PrivateKeyPath;
}

/** The path secret that was sealed for this member; undefined if it cannot be opened. */
export async function openPathSecret(commit: Counted, suite: CiphersuiteImpl): Promise<PathSecret | undefined> {
  const { path, tree, state, committer, context, joining } = commit;
  if (path === undefined) return undefined;
  const treeHash = await treeHashRoot(tree, suite.hash);
  const sealedFor = { ...context, treeHash, epoch: context.epoch + 1n };
  try {
    const opened = await applyUpdatePathSecret(tree, state.privatePath, committer, sealedFor, path, joining, suite);
    return { node: opened.nodeIndex, secret: opened.pathSecret };
  } catch {
    return undefined;
  }
}

const repairLabel = "mls-relay groups repair";
/** Before the secret: the number of its node. */
const nodeBytes = 4;
/** The encapsulated key of X25519. */
const kemBytes = 32;

/**
 * Seals a path secret to the leaf of a member who cannot open their own: that of the lowest node above both, or the lowest one that this device has. Undefined
 * if that member is not in the next epoch.
 */
export async function sealRepair(
  commit: Counted,
  { leaf, opened }: { leaf: number; opened: PathSecret },
  suite: CiphersuiteImpl,
): Promise<Uint8Array | undefined> {
  const { tree, state, committer, joining } = commit;
  const at = leafToNodeIndex(toLeafIndex(leaf));
  const [before, after] = [state.ratchetTree[at], tree[at]];
  if (before?.nodeType !== "leaf" || after?.nodeType !== "leaf" || leaf === committer) return undefined;
  const isSame = equalBytes(before.leaf.hpkePublicKey, after.leaf.hpkePublicKey);
  if (!isSame || joining.includes(at)) return undefined;
  const secrets = await pathToRoot(tree, toNodeIndex(opened.node), opened.secret, suite.kdf);
  const common = firstCommonAncestor(tree, toLeafIndex(leaf), committer);
  const node = secrets[common] === undefined ? opened.node : common;
  const secret = secrets[node];
  if (secret === undefined) return undefined;
  const key = await suite.hpke.importPublicKey(after.leaf.hpkePublicKey);
  const number = new Uint8Array(nodeBytes);
  new DataView(number.buffer).setUint32(0, node);
  const content = concatBytes(number, secret);
  const sealed = await encryptWithLabel(key, repairLabel, contextOf(commit), content, suite.hpke);
  return concatBytes(sealed.enc, sealed.ct);
}

/** The path secret that another member has sealed for this one. Throws if it cannot be opened. */
export async function openRepair(commit: Counted, sealed: Uint8Array, suite: CiphersuiteImpl): Promise<PathSecret> {
  const { privatePath } = commit.state;
  const own = privatePath.privateKeys[leafToNodeIndex(toLeafIndex(privatePath.leafIndex))];
  if (own === undefined) throw new Error("the key of the own leaf is missing");
  const key = await suite.hpke.importPrivateKey(own);
  const opened = await decryptWithLabel(
    key,
    repairLabel,
    contextOf(commit),
    sealed.subarray(0, kemBytes),
    sealed.subarray(kemBytes),
    suite.hpke,
  );
  const node = new DataView(opened.buffer, opened.byteOffset).getUint32(0);
  return { node, secret: opened.slice(nodeBytes) };
}

function contextOf({ content }: Counted): Uint8Array {
  const { groupId, epoch } = content;
  return utf8(`${encodeHex(groupId)} ${epoch}`);
}

/** Undefined if the path secret does not lead to the public keys of the commit. */
export async function derivePath(
  { tree, state }: Pick<Counted, "tree" | "state">,
  { node, secret }: PathSecret,
  suite: CiphersuiteImpl,
): Promise<Derived | undefined> {
  const secrets = await pathToRoot(tree, toNodeIndex(node), secret, suite.kdf);
  for (const [at, one] of Object.entries(secrets)) {
    const { publicKey } = await suite.hpke.deriveKeyPair(await deriveSecret(one, "node", suite.kdf));
    const expected = tree[Number(at)];
    const derived = await suite.hpke.exportPublicKey(publicKey);
    if (expected?.nodeType !== "parent" || !equalBytes(expected.parent.hpkePublicKey, derived)) return undefined;
  }
  const top = secrets[root(leafWidth(tree.length))];
  if (top === undefined) return undefined;
  return {
    commitSecret: await deriveSecret(top, "path", suite.kdf),
    privatePath: await toPrivateKeyPath(secrets, state.privatePath.leafIndex, suite),
  };
}

/** The state of the next epoch; undefined if the confirmation tag is another one. */
export async function enterEpoch(
  { state, message, content, tree, context }: Counted,
  derived: Derived | undefined,
  suite: CiphersuiteImpl,
): Promise<ClientState | undefined> {
  const { auth } = message;
  if (!("confirmationTag" in auth)) return undefined;
  const { confirmationTag, signature } = auth;
  const groupContext = await nextEpochContext(
    context,
    "mls_public_message",
    content,
    signature,
    await treeHashRoot(tree, suite.hash),
    state.confirmationTag,
    suite.hash,
  );
  const none = new Uint8Array(suite.kdf.size);
  const commitSecret = derived?.commitSecret ?? none;
  const epoch = await initializeEpoch(state.keySchedule.initSecret, commitSecret, groupContext, none, suite.kdf);
  const { confirmationKey } = epoch.keySchedule;
  if (
    !(await verifyConfirmationTag(confirmationKey, confirmationTag, groupContext.confirmedTranscriptHash, suite.hash))
  )
    return undefined;
  return {
    ...state,
    groupContext,
    ratchetTree: tree,
    secretTree: await createSecretTree(leafWidth(tree.length), epoch.encryptionSecret, suite.kdf),
    keySchedule: epoch.keySchedule,
    privatePath:
      derived === undefined ? state.privatePath : mergePrivateKeyPaths(state.privatePath, derived.privatePath),
    unappliedProposals: {},
    historicalReceiverData: new Map(),
    confirmationTag,
    groupActiveState: { kind: "active" },
  };
}
