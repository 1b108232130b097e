// Joins a group by a Welcome (RFC 9420, section 12.4.3.1), as ts-mls does, but for its check of unmerged leaves: it demands that all nodes above an unmerged leaf
// have the same ones. A commit from another part of the tree merges it at the nodes that both have above them, and at no others: nobody could join any more.

import type {
  CiphersuiteImpl,
  ClientConfig,
  ClientState,
  KeyPackage,
  PrivateKeyPackage,
  RatchetTree,
  Welcome,
} from "ts-mls";
import { validateLeafNodeUpdateOrCommit } from "ts-mls/clientState.js";
import { extensionsSupportedByCapabilities } from "ts-mls/extension.js";
import type { GroupContext } from "ts-mls/groupContext.js";
import {
  ratchetTreeFromExtension,
  verifyGroupInfoConfirmationTag,
  verifyGroupInfoSignature,
} from "ts-mls/groupInfo.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { deriveKeySchedule } from "ts-mls/keySchedule.js";
import { type LeafNode, verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import { verifyParentHashes } from "ts-mls/parentHash.js";
import { pathToRoot } from "ts-mls/pathSecrets.js";
import { mergePrivateKeyPaths, toPrivateKeyPath } from "ts-mls/privateKeyPath.js";
import { findLeafIndex } from "ts-mls/ratchetTree.js";
import { decodeRequiredCapabilities } from "ts-mls/requiredCapabilities.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import {
  directPath,
  isLeaf,
  leafToNodeIndex,
  leafWidth,
  nodeToLeafIndex,
  toLeafIndex,
  toNodeIndex,
} from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { decryptGroupInfo, decryptGroupSecrets } from "ts-mls/welcome.js";
import { encodeHex, equalBytes } from "../../protocol/encodings.js";

interface Joining {
  welcome: Welcome;
  publicPackage: KeyPackage;
  privatePackage: PrivateKeyPackage;
}

/** The state of the joiner, and the leaf of the member who has signed the GroupInfo. */
export async function joinGroup(
  { welcome, publicPackage, privatePackage }: Joining,
  suite: CiphersuiteImpl,
  clientConfig: ClientConfig,
): Promise<{ state: ClientState; signer: number }> {
  const reference = await makeKeyPackageRef(publicPackage, suite.hash);
  const initKey = await suite.hpke.importPrivateKey(privatePackage.initPrivateKey);
  const secrets = demanded(
    await decryptGroupSecrets(initKey, reference, welcome, suite.hpke),
    "the secrets of the group",
  );
  demandThat(secrets.psks.length === 0, "no pre-shared key");
  const noPsk = new Uint8Array(suite.kdf.size);
  const info = demanded(await decryptGroupInfo(welcome, secrets.joinerSecret, noPsk, suite), "a GroupInfo");
  const { groupContext, confirmationTag } = info;
  const tree = demanded(ratchetTreeFromExtension(info), "a ratchet tree");
  const { leafNode } = publicPackage;
  demandThat(groupContext.cipherSuite === publicPackage.cipherSuite, "the cipher suite of the key package");
  demandThat(
    extensionsSupportedByCapabilities(groupContext.extensions, leafNode.capabilities),
    "extensions that this device knows",
  );
  const signer = tree[leafToNodeIndex(toLeafIndex(info.signer))];
  if (signer?.nodeType !== "leaf") throw new Error("a member has to sign the GroupInfo");
  demandThat(
    await verifyGroupInfoSignature(info, signer.leaf.signaturePublicKey, suite.signature),
    "a signed GroupInfo",
  );
  await demandTree(tree, { groupContext, suite, clientConfig });
  const leafIndex = toLeafIndex(demanded(findLeafIndex(tree, leafNode), "a leaf of this device"));
  const leafPath = { leafIndex, privateKeys: { [leafToNodeIndex(leafIndex)]: privatePackage.hpkePrivateKey } };
  const shared = firstCommonAncestor(tree, leafIndex, toLeafIndex(info.signer));
  const privatePath =
    secrets.pathSecret === undefined
      ? leafPath
      : mergePrivateKeyPaths(
          await toPrivateKeyPath(await pathToRoot(tree, shared, secrets.pathSecret, suite.kdf), leafIndex, suite),
          leafPath,
        );
  const isConfirmed = await verifyGroupInfoConfirmationTag(info, secrets.joinerSecret, noPsk, suite);
  demandThat(isConfirmed, "a confirmation tag");
  const [keySchedule, encryptionSecret] = await deriveKeySchedule(secrets.joinerSecret, noPsk, groupContext, suite.kdf);
  const state: ClientState = {
    groupContext,
    ratchetTree: tree,
    privatePath,
    signaturePrivateKey: privatePackage.signaturePrivateKey,
    confirmationTag,
    unappliedProposals: {},
    keySchedule,
    secretTree: await createSecretTree(leafWidth(tree.length), encryptionSecret, suite.kdf),
    historicalReceiverData: new Map(),
    groupActiveState: { kind: "active" },
    clientConfig,
  };
  encryptionSecret.fill(0);
  secrets.joinerSecret.fill(0);
  return { state, signer: info.signer };
}

/** Throws unless the tree is as all members have it, and could have come about by what they may do. */
async function demandTree(
  tree: RatchetTree,
  {
    groupContext,
    suite,
    clientConfig: { authService },
  }: { groupContext: GroupContext; suite: CiphersuiteImpl; clientConfig: ClientConfig },
): Promise<void> {
  demandThat(equalBytes(groupContext.treeHash, await treeHashRoot(tree, suite.hash)), "the tree hash");
  const keys = { hpke: new Set<string>(), signature: new Set<string>() };
  for (const [at, node] of tree.entries()) {
    if (node === undefined) continue;
    const index = toNodeIndex(at);
    demandThat(isLeaf(index) === (node.nodeType === "leaf"), "leaves below parents");
    const { hpkePublicKey } = node.nodeType === "leaf" ? node.leaf : node.parent;
    demandNew(keys.hpke, hpkePublicKey);
    if (node.nodeType === "leaf") {
      const { leaf } = node;
      demandNew(keys.signature, leaf.signaturePublicKey);
      if (leaf.leafNodeSource === "key_package") {
        demandThat(await verifyLeafNodeSignatureKeyPackage(leaf, suite.signature), "signed leaves");
        demandThat(isSupported(leaf, groupContext), "leaves that support the group");
      } else {
        const problem = await validateLeafNodeUpdateOrCommit(
          leaf,
          nodeToLeafIndex(index),
          groupContext,
          authService,
          suite.signature,
        );
        if (problem !== undefined) throw problem;
      }
    } else
      demandThat(
        node.parent.unmergedLeaves.every((leaf) => isUnmerged(tree, { leaf, at })),
        "unmerged leaves",
      );
  }
  const leaves = tree.flatMap((node) => (node?.nodeType === "leaf" ? [node.leaf] : []));
  const types = new Set(leaves.map(({ credential }) => credential.credentialType));
  const areRead = leaves.every(({ capabilities }) =>
    [...types].every((type) => capabilities.credentials.includes(type)),
  );
  demandThat(areRead, "credentials that all members can read");
  demandThat(await verifyParentHashes(tree, suite.hash), "the parent hashes");
}

/** Whether a parent may have a leaf unmerged: so do all nodes that are not blank between the two. */
function isUnmerged(tree: RatchetTree, { leaf, at }: { leaf: number; at: number }): boolean {
  const index = leafToNodeIndex(toLeafIndex(leaf));
  const above = directPath(index, leafWidth(tree.length));
  const end = above.indexOf(toNodeIndex(at));
  return (
    end >= 0 &&
    tree[index]?.nodeType === "leaf" &&
    above.slice(0, end).every((between) => {
      const node = tree[between];
      return node === undefined || (node.nodeType === "parent" && node.parent.unmergedLeaves.includes(leaf));
    })
  );
}

function isSupported({ capabilities, extensions }: LeafNode, groupContext: GroupContext): boolean {
  const content = groupContext.extensions.find(({ extensionType }) => extensionType === "required_capabilities");
  const required =
    content && demanded(decodeRequiredCapabilities(content.extensionData, 0), "required capabilities")[0];
  return (
    extensionsSupportedByCapabilities(extensions, capabilities) &&
    (required === undefined ||
      (required.credentialTypes.every((one) => capabilities.credentials.includes(one)) &&
        required.extensionTypes.every((one) => capabilities.extensions.includes(one)) &&
        required.proposalTypes.every((one) => capabilities.proposals.includes(one))))
  );
}

function demandNew(known: Set<string>, key: Uint8Array): void {
  demandThat(!known.has(encodeHex(key)), "a key for each node");
  known.add(encodeHex(key));
}

function demanded<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the Welcome has to lead to ${what}`);
  return value;
}

function demandThat(holds: boolean, what: string): void {
  demanded(holds || undefined, what);
}
