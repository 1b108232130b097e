// Commits made of the parts of ts-mls. Its own function leaves the path out where RFC 9420, section 12.4, demands one, seals it for the extensions
// before the commit, and cannot give the committer's leaf another credential.

import {
  type CiphersuiteImpl,
  type ClientState,
  type Credential,
  emptyPskIndex,
  type MLSMessage,
  type Proposal,
  type Welcome,
} from "ts-mls";
import { applyProposals, checkCanSendHandshakeMessages, nextEpochContext } from "ts-mls/clientState.js";
import { createGroupInfoWithRatchetTree } from "ts-mls/createCommit.js";
import { createConfirmationTag, createContentCommitSignature } from "ts-mls/framedContent.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { initializeEpoch } from "ts-mls/keySchedule.js";
import { protectPublicMessage } from "ts-mls/messageProtectionPublic.js";
import { getCommitSecret, pathToPathSecrets } from "ts-mls/pathSecrets.js";
import { mergePrivateKeyPaths, toPrivateKeyPath, updateLeafKey } from "ts-mls/privateKeyPath.js";
import type { RatchetTree } from "ts-mls/ratchetTree.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { leafToNodeIndex, leafWidth, toLeafIndex, toNodeIndex } from "ts-mls/treemath.js";
import { createUpdatePath, firstCommonAncestor } from "ts-mls/updatePath.js";
import { encryptGroupInfo, encryptGroupSecrets } from "ts-mls/welcome.js";
import { checkAdditions, demandsPath } from "../judging/commit-rules.js";

/** A commit as a public message. With `credential`, the committer's leaf has it from then on. */
export async function makeCommit(
  state: ClientState,
  { proposals, credential }: { proposals: readonly Proposal[]; credential?: Credential | undefined },
  suite: CiphersuiteImpl,
): Promise<{ state: ClientState; commit: MLSMessage; welcome: Welcome | undefined }> {
  checkCanSendHandshakeMessages(state);
  const { groupContext: before, privatePath, signaturePrivateKey, keySchedule } = state;
  const leafIndex = toLeafIndex(privatePath.leafIndex);
  await checkAdditions(state, { proposals, committer: leafIndex, isOwn: true }, suite);
  const inline = proposals.map((proposal) => ({ proposalOrRefType: "proposal" as const, proposal }));
  const applied = await applyProposals(state, inline, leafIndex, emptyPskIndex, true, suite);
  if (applied.additionalResult.kind !== "memberCommit") throw new Error("the proposals are of another kind of commit");
  const { addedLeafNodes: added, extensions } = applied.additionalResult;
  const changed = extensions.length === 0 ? before : { ...before, extensions };
  const path =
    demandsPath(proposals) || credential !== undefined
      ? await createUpdatePath(
          credential === undefined ? applied.tree : withCredential(applied.tree, leafIndex, credential),
          leafIndex,
          changed,
          signaturePrivateKey,
          suite,
          added.map(([joiner]) => leafToNodeIndex(joiner)),
        )
      : undefined;
  const [tree, updatePath, pathSecrets, leafKey] = path ?? [applied.tree, undefined, [], undefined];
  const ownKeys =
    leafKey === undefined ? privatePath : updateLeafKey(privatePath, await suite.hpke.exportPrivateKey(leafKey));
  const pathKeys = await toPrivateKeyPath(pathToPathSecrets(pathSecrets), leafIndex, suite);
  const top = pathSecrets.at(-1);
  const commitSecret =
    top === undefined
      ? new Uint8Array(suite.kdf.size)
      : await getCommitSecret(tree, toNodeIndex(top.nodeIndex), top.secret, suite.kdf);
  const { signature, framedContent } = await createContentCommitSignature(
    before,
    "mls_public_message",
    { proposals: inline, path: updatePath },
    { senderType: "member", leafIndex },
    new Uint8Array(),
    signaturePrivateKey,
    suite.signature,
  );
  const groupContext = await nextEpochContext(
    changed,
    "mls_public_message",
    framedContent,
    signature,
    await treeHashRoot(tree, suite.hash),
    state.confirmationTag,
    suite.hash,
  );
  const epoch = await initializeEpoch(keySchedule.initSecret, commitSecret, groupContext, applied.pskSecret, suite.kdf);
  const { confirmationKey } = epoch.keySchedule;
  const confirmationTag = await createConfirmationTag(
    confirmationKey,
    groupContext.confirmedTranscriptHash,
    suite.hash,
  );
  const publicMessage = await protectPublicMessage(
    keySchedule.membershipKey,
    before,
    {
      wireformat: "mls_public_message",
      content: framedContent,
      auth: { contentType: framedContent.contentType, signature, confirmationTag },
    },
    suite,
  );
  const welcomeOf = async (): Promise<Welcome> => {
    const groupInfo = await createGroupInfoWithRatchetTree(groupContext, confirmationTag, state, tree, [], suite);
    const encryptedGroupInfo = await encryptGroupInfo(groupInfo, epoch.welcomeSecret, suite);
    const secrets = added.map(async ([joiner, keyPackage]) => {
      const ancestor = updatePath && firstCommonAncestor(tree, joiner, leafIndex);
      const pathSecret = pathSecrets.find(({ nodeIndex }) => nodeIndex === ancestor)?.secret;
      const initKey = await suite.hpke.importPublicKey(keyPackage.initKey);
      const sealed = await encryptGroupSecrets(
        initKey,
        encryptedGroupInfo,
        { joinerSecret: epoch.joinerSecret, pathSecret, psks: applied.pskIds },
        suite.hpke,
      );
      const newMember = await makeKeyPackageRef(keyPackage, suite.hash);
      return { newMember, encryptedGroupSecrets: { kemOutput: sealed.enc, ciphertext: sealed.ct } };
    });
    return { cipherSuite: groupContext.cipherSuite, secrets: await Promise.all(secrets), encryptedGroupInfo };
  };
  return {
    state: {
      ...state,
      groupContext,
      ratchetTree: tree,
      secretTree: await createSecretTree(leafWidth(tree.length), epoch.encryptionSecret, suite.kdf),
      keySchedule: epoch.keySchedule,
      privatePath: mergePrivateKeyPaths(ownKeys, pathKeys),
      unappliedProposals: {},
      historicalReceiverData: new Map(),
      confirmationTag,
      groupActiveState: { kind: "active" },
    },
    commit: { version: "mls10", wireformat: "mls_public_message", publicMessage },
    welcome: added.length === 0 ? undefined : await welcomeOf(),
  };
}

function withCredential(
  tree: RatchetTree,
  leafIndex: ReturnType<typeof toLeafIndex>,
  credential: Credential,
): RatchetTree {
  const at = leafToNodeIndex(leafIndex);
  return tree.map((node, index) =>
    index === at && node?.nodeType === "leaf" ? { ...node, leaf: { ...node.leaf, credential } } : node,
  );
}
