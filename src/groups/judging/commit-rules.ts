// The rules that make a commit void. They use only what every member of its epoch can see, so that all reach the same result, the removed and the committer included.
// A commit that keeps all rules counts, also for a member who cannot use it. The rules stand in the order in which they are asked, and stop at the first that
// is broken. test/groups/hostile/void.test.ts has a commit that breaks each of them alone.

import {
  type CiphersuiteImpl,
  type ClientState,
  decodeMlsMessage,
  type Extension,
  emptyPskIndex,
  encodeMlsMessage,
  type GroupContext,
  type Proposal,
  type RatchetTree,
} from "ts-mls";
import {
  applyProposals,
  validateLeafNodeCredentialAndKeyUniqueness,
  validateLeafNodeUpdateOrCommit,
} from "ts-mls/clientState.js";
import { extensionTypeToNumber } from "ts-mls/extension.js";
import { verifyFramedContentSignature } from "ts-mls/framedContent.js";
import { encodeLeafNode, type LeafNode } from "ts-mls/leafNode.js";
import { unprotectPublicMessage } from "ts-mls/messageProtectionPublic.js";
import { findSignaturePublicKey } from "ts-mls/publicMessage.js";
import { filteredDirectPathAndCopathResolution } from "ts-mls/ratchetTree.js";
import { type LeafIndex, leafToNodeIndex, type NodeIndex, toLeafIndex } from "ts-mls/treemath.js";
import { applyUpdatePath, type UpdatePath } from "ts-mls/updatePath.js";
import { encodeHex, equalBytes } from "../../protocol/encodings.js";
import { type Counted, enterEpoch, type PublicCommit, type PublicMessage } from "./path-secrets.js";
import { isUsableKey } from "./refused-keys.js";

/** A commit that was read, and what the rules before have made of it. */
interface Read {
  bytes: Uint8Array;
  state: ClientState;
  suite: CiphersuiteImpl;
  message: PublicMessage;
  content: PublicCommit;
  committer: LeafIndex;
  /** Undefined for one that is given by reference. */
  proposals: (Proposal | undefined)[];
  path: UpdatePath | undefined;
  /** It is judged by a device that has no keys of the epoch: not by its membership tag, nor by its confirmation tag. */
  isOutside: boolean;
  /** Asks the application's rules. */
  isAllowed(): boolean;
  /** The tree after the proposals, and the nodes of those who join. */
  applied(): Promise<{ tree: RatchetTree; joining: NodeIndex[]; context: GroupContext }>;
  /** The tree after the path, too. */
  updated(): Promise<RatchetTree>;
  counted(): Promise<Counted>;
}

/** With its identity and signature key (RFC 9420, section 7.2). */
const maxLeafBytes = 32_768;
/** HPKE of the cipher suite: a path secret and its tag. */
const ciphertextBytes = 32 + 16;
const tagBytes = 32;

/** Each says what is true of a commit that counts. One that throws is broken. */
export const commitRules = {
  "has one encoding": ({ bytes, message: publicMessage }) =>
    equalBytes(encodeMlsMessage({ version: "mls10", wireformat: "mls_public_message", publicMessage }), bytes),
  "is of this group and epoch": ({ content, state: { groupContext } }) =>
    equalBytes(content.groupId, groupContext.groupId) && content.epoch === groupContext.epoch,
  "is signed by a member of the epoch": async ({ message, content, state, suite, isOutside }) => {
    const { keySchedule, groupContext, ratchetTree } = state;
    if (isOutside) {
      const key = findSignaturePublicKey(ratchetTree, groupContext, content);
      const { auth } = message;
      return verifyFramedContentSignature(key, "mls_public_message", content, auth, groupContext, suite.signature);
    }
    await unprotectPublicMessage(keySchedule.membershipKey, groupContext, ratchetTree, message, suite);
    return true;
  },
  "has its proposals inside, each of a kind that the group knows": ({ proposals }) =>
    proposals.every((one) => one !== undefined && knownProposals.includes(one.proposalType)),
  "carries nothing beside its proposals and path": ({ content }) => content.authenticatedData.length === 0,
  "is allowed by the roles": ({ isAllowed }) => isAllowed(),
  "has a path unless it only adds": ({ path, proposals }) => path !== undefined || !demandsPath(proposals),
  "has proposals that fit": async ({ applied }) => (await applied()) !== undefined,
  "has a confirmation tag of the right length": ({ message: { auth } }) =>
    "confirmationTag" in auth && auth.confirmationTag.length === tagBytes,
  "has new leaves that everybody supports": ({ path, proposals, state }) =>
    newLeavesOf({ path, proposals }).every((leaf) => isSupported(leaf, leaf.extensions, state)) &&
    keyPackagesIn(proposals).every(({ leafNode, extensions }) => isSupported(leafNode, extensions, state)),
  "has new leaves whose extensions are for private use, each once": ({ path, proposals }) =>
    [...keyPackagesIn(proposals), ...newLeavesOf({ path, proposals })].every(({ extensions }) =>
      arePrivate(extensions),
    ),
  "has new leaves of a bounded size": ({ path, proposals }) =>
    newLeavesOf({ path, proposals }).every((leaf) => encodeLeafNode(leaf).length <= maxLeafBytes),
  "has a leaf of the committer that is signed": async ({ path, committer, state, suite, applied }) => {
    if (path === undefined) return true;
    const { groupContext, clientConfig } = state;
    const { leafNode } = path;
    const { tree } = await applied();
    return (
      (await validateLeafNodeUpdateOrCommit(
        leafNode,
        committer,
        groupContext,
        clientConfig.authService,
        suite.signature,
      )) === undefined && (await validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode, committer)) === undefined
    );
  },
  "has a path of the right length, hashes included": async ({ path, updated }) =>
    path === undefined || (await updated()) !== undefined,
  "has public keys to which everybody can seal": ({ path, proposals }) =>
    [
      ...(path?.nodes ?? []).map(({ hpkePublicKey }) => hpkePublicKey),
      ...newLeavesOf({ path, proposals }).map(({ hpkePublicKey }) => hpkePublicKey),
      ...keyPackagesIn(proposals).map(({ initKey }) => initKey),
    ].every(isUsableKey),
  "leads to a tree without two equal keys": async ({ path, proposals, committer, state, applied, updated }) => {
    const tree = path === undefined ? (await applied()).tree : await updated();
    const nodes = tree.flatMap((node) => node ?? []);
    const leaves = nodes.flatMap((node) => (node.nodeType === "leaf" ? [node.leaf] : []));
    const parents = nodes.flatMap((node) => (node.nodeType === "parent" ? [node.parent] : []));
    const own = state.ratchetTree[leafToNodeIndex(committer)];
    // OpenMLS counts the key that the committer's leaf had, and those to which Welcomes are sealed.
    const old = path !== undefined && own?.nodeType === "leaf" ? [own.leaf] : [];
    const initKeys = keyPackagesIn(proposals).map(({ initKey }) => initKey);
    return (
      areDifferent([...[...old, ...leaves, ...parents].map(({ hpkePublicKey }) => hpkePublicKey), ...initKeys]) &&
      areDifferent(leaves.map(({ signaturePublicKey }) => signaturePublicKey))
    );
  },
  "has a ciphertext for each that needs one": async ({ path, committer, applied }) => {
    if (path === undefined) return true;
    const { tree, joining } = await applied();
    return filteredDirectPathAndCopathResolution(committer, tree).every(({ resolution }, at) => {
      const recipients = resolution.filter((node) => !joining.includes(node));
      return path.nodes[at]?.encryptedPathSecret.length === recipients.length;
    });
  },
  "has ciphertexts of the right form": ({ path }) =>
    (path?.nodes ?? []).every(({ encryptedPathSecret }) =>
      encryptedPathSecret.every(
        ({ kemOutput, ciphertext }) => isUsableKey(kemOutput) && ciphertext.length === ciphertextBytes,
      ),
    ),
  // With a path, only those can compute it who can open a path secret.
  "has the right confirmation tag if it only adds": async ({ path, suite, counted, isOutside }) =>
    path !== undefined || isOutside || (await enterEpoch(await counted(), undefined, suite)) !== undefined,
} satisfies Record<string, (commit: Read) => boolean | Promise<boolean>>;

export type CommitRule = keyof typeof commitRules;

/** `unread`: it is no PublicMessage with a commit of a member. */
type Judgement = { kind: "void"; broken: CommitRule | "unread" } | { kind: "counts"; commit: Counted };

const knownProposals: readonly Proposal["proposalType"][] = ["add", "remove", "group_context_extensions"];

/** Judges a commit as all members do. Never throws. */
export async function judgeCommit(
  state: ClientState,
  given: {
    bytes: Uint8Array;
    isAllowed: (commit: Pick<Read, "committer" | "proposals" | "path">) => boolean;
    isOutside?: boolean;
  },
  suite: CiphersuiteImpl,
): Promise<Judgement> {
  const commit = readCommit(state, given, suite);
  if (commit === undefined) return { kind: "void", broken: "unread" };
  for (const [broken, isKept] of Object.entries(commitRules) as [
    CommitRule,
    (commit: Read) => boolean | Promise<boolean>,
  ][]) {
    try {
      if (!(await isKept(commit))) return { kind: "void", broken };
    } catch {
      return { kind: "void", broken };
    }
  }
  return { kind: "counts", commit: await commit.counted() };
}

function readCommit(
  state: ClientState,
  { bytes, isAllowed, isOutside = false }: Parameters<typeof judgeCommit>[1],
  suite: CiphersuiteImpl,
): Read | undefined {
  const message = publicMessageIn(bytes);
  if (message?.content.contentType !== "commit" || message.content.sender.senderType !== "member") return undefined;
  const { content } = message;
  const { path } = content.commit;
  const committer = toLeafIndex(message.content.sender.leafIndex);
  const proposals = content.commit.proposals.map((one) => ("proposal" in one ? one.proposal : undefined));
  const applied = once(() => applyAll(state, { content, committer, proposals }, suite));
  const updated = once(async () => applyUpdatePath((await applied()).tree, committer, path as UpdatePath, suite.hash));
  const counted = async () => {
    const { tree, ...rest } = await applied();
    return { ...rest, state, message, content, committer, path, tree: path === undefined ? tree : await updated() };
  };
  const read = { bytes, state, suite, message, content, committer, proposals, path, isOutside };
  return { ...read, applied, updated, counted, isAllowed: () => isAllowed({ committer, proposals, path }) };
}

function publicMessageIn(bytes: Uint8Array): PublicMessage | undefined {
  try {
    const message = decodeMlsMessage(bytes, 0)?.[0];
    return message?.wireformat === "mls_public_message" ? message.publicMessage : undefined;
  } catch {
    return undefined;
  }
}

async function applyAll(
  state: ClientState,
  { content, committer, proposals }: Pick<Read, "content" | "committer" | "proposals">,
  suite: CiphersuiteImpl,
) {
  await checkAdditions(state, { proposals: proposals.flatMap((one) => one ?? []), committer, isOwn: false }, suite);
  const { proposals: given } = content.commit;
  const { additionalResult, tree } = await applyProposals(state, given, committer, emptyPskIndex, false, suite);
  if (additionalResult.kind !== "memberCommit") throw new Error("the proposals are of another kind of commit");
  const { addedLeafNodes, extensions } = additionalResult;
  const joining = addedLeafNodes.map(([joiner]) => leafToNodeIndex(toLeafIndex(joiner)));
  const { groupContext } = state;
  return { tree, joining, context: extensions.length === 0 ? groupContext : { ...groupContext, extensions } };
}

/** All but additions need new keys of the committer (RFC 9420, section 17.4), as a commit without proposals does. */
export function demandsPath(proposals: readonly (Proposal | undefined)[]): boolean {
  return proposals.length === 0 || proposals.some((one) => one?.proposalType !== "add");
}

/**
 * Throws if one of several key packages cannot be added. ts-mls checks them at once: if one fails while the next is being checked, nobody handles that
 * failure in time, and Node.js ends the program. So each is checked alone before.
 */
export async function checkAdditions(
  state: ClientState,
  { proposals, committer, isOwn }: { proposals: readonly Proposal[]; committer: number; isOwn: boolean },
  suite: CiphersuiteImpl,
): Promise<void> {
  const additions = proposals.filter(({ proposalType }) => proposalType === "add");
  if (additions.length < 2) return;
  for (const proposal of additions) {
    const alone = [{ proposalOrRefType: "proposal" as const, proposal }];
    await applyProposals(state, alone, toLeafIndex(committer), emptyPskIndex, isOwn, suite);
  }
}

function keyPackagesIn(proposals: readonly (Proposal | undefined)[]) {
  return proposals.flatMap((one) => (one?.proposalType === "add" ? [one.add.keyPackage] : []));
}

function newLeavesOf({ path, proposals }: Pick<Read, "path" | "proposals">): LeafNode[] {
  return [...keyPackagesIn(proposals).map(({ leafNode }) => leafNode), ...(path === undefined ? [] : [path.leafNode])];
}

/**
 * Joiners check this of all leaves (RFC 9420, section 12.4.3.1), and some libraries of key packages: with one that breaks it, nobody could join any more. So only a
 * library whose key packages name the extensions of this package is let in.
 */
function isSupported(
  { capabilities, credential }: LeafNode,
  extensions: readonly Extension[],
  { groupContext }: ClientState,
): boolean {
  const types = [...groupContext.extensions, ...extensions].flatMap(({ extensionType }) =>
    typeof extensionType === "number" ? [extensionType] : [],
  );
  return (
    credential.credentialType === "basic" &&
    capabilities.credentials.includes("basic") &&
    capabilities.versions.includes(groupContext.version) &&
    capabilities.ciphersuites.includes(groupContext.cipherSuite) &&
    types.every((type) => capabilities.extensions.includes(type))
  );
}

/** RFC 9420, section 17.3. No library reads such an extension, so none refuses what stands in it. */
function arePrivate(extensions: readonly Extension[]): boolean {
  const types = extensions.map(({ extensionType }) => extensionTypeToNumber(extensionType));
  return types.every((type) => type >= 0xf000) && new Set(types).size === types.length;
}

function areDifferent(keys: readonly Uint8Array[]): boolean {
  return new Set(keys.map(encodeHex)).size === keys.length;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
