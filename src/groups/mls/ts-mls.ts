// ts-mls behind the interface of this package.

import {
  type CiphersuiteImpl,
  type ClientConfig,
  type ClientState,
  type Credential,
  createApplicationMessage,
  createGroup,
  decodeGroupState,
  decodeMlsMessage,
  defaultAuthenticationService,
  defaultCapabilities,
  defaultKeyPackageEqualityConfig,
  defaultKeyRetentionConfig,
  defaultLifetime,
  defaultLifetimeConfig,
  type Extension,
  encodeGroupState,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  type KeyPackage,
  type LeafNode,
  type MLSMessage,
  mlsExporter,
  type PrivateKeyPackage,
  type Proposal,
} from "ts-mls";
import { decodeExtensionType, extensionTypeToNumber } from "ts-mls/extension.js";
import { unprotectPrivateMessage } from "ts-mls/messageProtection.js";
import { decryptSenderData } from "ts-mls/privateMessage.js";
import { toLeafIndex } from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { hkdfSha256Expand } from "../../client/index.js";
import { concatBytes, utf8 } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { judgeCommit } from "../judging/commit-rules.js";
import { derivePath, enterEpoch, openPathSecret, openRepair, sealRepair } from "../judging/path-secrets.js";
import {
  type Change,
  type GroupView,
  type JudgingMls,
  type Leaf,
  type MadeChange,
  type Mls,
  type OwnKeyPackage,
  type ProcessedCommit,
  type ProposalKind,
  replacesType,
  type SignedCommit,
} from "./mls.js";
import { makeCommit } from "./ts-mls-commits.js";
import { fastSuite, suiteName } from "./ts-mls-crypto.js";
import { joinGroup } from "./ts-mls-join.js";
import { decodeOutline, encodeOutline, nextOutline } from "./ts-mls-outline.js";

/** Extension types that groups of this package use: members must be able to read them. RFC 9420, section 10, wants those of key packages as well. */
const usedExtensions = [0xf000, 0xf042, replacesType];

const config: ClientConfig = {
  keyRetentionConfig: {
    ...defaultKeyRetentionConfig,
    // A relay may deliver in another order. With more, a member who leaves out thousands stops a device for seconds.
    retainKeysForGenerations: 100,
    // ratchet-skips.ts goes farther.
    maximumForwardRatchetSteps: 200,
  },
  lifetimeConfig: defaultLifetimeConfig,
  keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
  // Envelopes pad.
  paddingConfig: { kind: "alwaysPad", paddingLength: 0 },
  authService: defaultAuthenticationService,
};

interface Signer {
  signKey: Uint8Array;
  publicKey: Uint8Array;
}

/** The MLS library ts-mls, with the cipher suite 1. */
export function tsMls(): JudgingMls {
  return new TsMls() as JudgingMls;
}

class TsMls implements JudgingMls<ClientState> {
  readonly cipherSuite = 1;
  readonly #suite: Promise<CiphersuiteImpl> = fastSuite();
  /** By what they show, which a text leaves as it is. */
  readonly #views = new WeakMap<ClientState["groupContext"], { of: ClientState; view: GroupView }>();

  async newSigner(): Promise<Uint8Array> {
    const { signKey, publicKey } = await (await this.#suite).signature.keygen();
    return encodeRecord({ signKey, publicKey });
  }

  async publicKeyOf(signer: Uint8Array): Promise<Uint8Array> {
    return decodeRecord<Signer>(signer).publicKey;
  }

  async newKeyPackage(of: Parameters<Mls["newKeyPackage"]>[0]): Promise<OwnKeyPackage> {
    const { publicPackage, privatePackage } = await this.#generate(of);
    return {
      keyPackage: encodeMlsMessage({ version: "mls10", wireformat: "mls_key_package", keyPackage: publicPackage }),
      privateKeys: encodeRecord({ ...privatePackage }),
      initPrivateKey: privatePackage.initPrivateKey,
    };
  }

  async readKeyPackage(bytes: Uint8Array) {
    const { initKey, leafNode, cipherSuite, extensions } = keyPackageIn(bytes);
    if (cipherSuite !== suiteName) throw new Error("the key package has another cipher suite");
    const { signaturePublicKey: signatureKey } = leafNode;
    const replaces = contentsOf(extensions).get(replacesType);
    return { cipherSuite: this.cipherSuite, initKey, identity: identityOf(leafNode), signatureKey, replaces };
  }

  async found({ groupId, extensions, ...of }: Parameters<Mls["found"]>[0]): Promise<ClientState> {
    const { publicPackage, privatePackage } = await this.#generate(of);
    return createGroup(groupId, publicPackage, privatePackage, encoded(extensions), await this.#suite, config);
  }

  async join({ welcome, own: made }: Parameters<Mls["join"]>[0]) {
    const read = messageIn(welcome, "mls_welcome").welcome;
    return joinGroup({ welcome: read, ...ownPackage(made) }, await this.#suite, config);
  }

  save(state: ClientState): Uint8Array {
    return encodeGroupState(state);
  }

  async load(saved: Uint8Array): Promise<ClientState> {
    const decoded = decodeGroupState(saved, 0);
    if (decoded === undefined) throw new Error("the stored state of the group cannot be read");
    return withoutPast({ ...decoded[0], clientConfig: config });
  }

  view(state: ClientState): GroupView {
    const { groupContext, ratchetTree, privatePath, groupActiveState } = state;
    const known = this.#views.get(groupContext);
    const isKnown =
      known?.of.ratchetTree === ratchetTree &&
      known.of.privatePath === privatePath &&
      known.of.groupActiveState === groupActiveState;
    if (known !== undefined && isKnown) return known.view;
    const isMember = groupActiveState.kind === "active";
    const view: GroupView = { ...viewOf(state), isMember, ownLeaf: privatePath.leafIndex };
    this.#views.set(groupContext, { of: state, view });
    return view;
  }

  outline(state: ClientState): Uint8Array {
    return encodeOutline(state);
  }

  async follow(given: Uint8Array, commits: readonly Uint8Array[], isAllowed: Parameters<JudgingMls["follow"]>[2]) {
    const suite = await this.#suite;
    let outline = decodeOutline(given);
    let committer: number | undefined;
    for (const bytes of commits) {
      const view = { ...viewOf(outline), isMember: false, ownLeaf: -1 };
      const asked = (commit: Asked) => {
        ({ committer } = commit);
        return isAllowed(view, signedIn(commit));
      };
      outline = await nextOutline(outline, { bytes, isAllowed: asked }, { config, suite });
    }
    return { outline: encodeOutline(outline), committer };
  }

  exporterOf(state: ClientState): ReturnType<Mls["exporterOf"]> {
    return async (label, context, length) =>
      mlsExporter(state.keySchedule.exporterSecret, label, context, length, await this.#suite);
  }

  async encrypt(state: ClientState, content: Uint8Array) {
    const { newState, privateMessage } = await createApplicationMessage(state, content, await this.#suite);
    const message = encodeMlsMessage({ version: "mls10", wireformat: "mls_private_message", privateMessage });
    return { state: newState, message };
  }

  async decrypt(state: ClientState, bytes: Uint8Array) {
    const { privateMessage } = messageIn(bytes, "mls_private_message");
    if (privateMessage.epoch !== state.groupContext.epoch) throw new Error("the message is of another epoch");
    if (privateMessage.contentType !== "application") throw new Error("the message is not an application message");
    const suite = await this.#suite;
    // The library's own function does not tell who has sent it.
    const open = (secretTree: ClientState["secretTree"]) =>
      unprotectPrivateMessage(
        state.keySchedule.senderDataSecret,
        privateMessage,
        secretTree,
        state.ratchetTree,
        state.groupContext,
        config.keyRetentionConfig,
        suite,
      );
    const { content: opened, tree } = await open(state.secretTree).catch(async (problem) => {
      const { skipTowards } = await import("./ratchet-skips.js");
      const sender = await decryptSenderData(privateMessage, state.keySchedule.senderDataSecret, suite);
      const skipped = sender && skipTowards(state.secretTree, sender, nextSecret);
      if (skipped === undefined) throw problem;
      const moved = await open(skipped.secretTree);
      skipped.forget();
      return moved;
    });
    const { content } = opened;
    if (content.contentType !== "application" || content.sender.senderType !== "member")
      throw new Error("the message is not an application message of a member");
    const { applicationData, sender } = content;
    return { state: { ...state, secretTree: tree }, content: applicationData, sender: sender.leafIndex };
  }

  async commit(
    state: ClientState,
    { add = [], remove = [], extensions, identity }: Change,
  ): Promise<MadeChange<ClientState>> {
    const proposals: Proposal[] = [
      ...remove.map((removed): Proposal => ({ proposalType: "remove", remove: { removed } })),
      ...add.map((keyPackage): Proposal => ({ proposalType: "add", add: { keyPackage: keyPackageIn(keyPackage) } })),
    ];
    if (extensions !== undefined) {
      const changed = withExtensions(state.groupContext.extensions, extensions);
      const proposalType = "group_context_extensions";
      proposals.push({ proposalType, groupContextExtensions: { extensions: changed } });
    }
    const credential: Credential | undefined = identity && { credentialType: "basic", identity };
    const made = await makeCommit(state, { proposals, credential }, await this.#suite);
    const { welcome } = made;
    return {
      state: made.state,
      commit: encodeMlsMessage(made.commit),
      ...(welcome && { welcome: encodeMlsMessage({ version: "mls10", wireformat: "mls_welcome", welcome }) }),
    };
  }

  async #generate({ identity, signer, replaces }: Parameters<Mls["newKeyPackage"]>[0]) {
    return generateKeyPackageWithKey(
      { credentialType: "basic", identity },
      { ...defaultCapabilities(), extensions: usedExtensions, ciphersuites: [suiteName] },
      defaultLifetime,
      replaces === undefined ? [] : [{ extensionType: replacesType, extensionData: replaces }],
      decodeRecord<Signer>(signer),
      await this.#suite,
    );
  }

  process(
    state: ClientState,
    commit: Uint8Array,
    isAllowed: (commit: SignedCommit) => boolean,
  ): Promise<ProcessedCommit<ClientState>> {
    return this.#process(state, { commit, isAllowed });
  }

  processRepaired(state: ClientState, options: Parameters<NonNullable<Mls["processRepaired"]>>[1]) {
    return this.#process(state, options) as Promise<ProcessedCommit<ClientState>>;
  }

  async #process(
    state: ClientState,
    {
      commit: bytes,
      isAllowed,
      repair,
    }: { commit: Uint8Array; isAllowed: (commit: SignedCommit) => boolean; repair?: Uint8Array },
  ): Promise<ProcessedCommit<ClientState>> {
    const suite = await this.#suite;
    const ownLeaf = state.privatePath.leafIndex;
    let isRemoved = false;
    const asked = (commit: Asked) => {
      // The library takes a member for present whose leaf another one gets in the same commit.
      isRemoved = commit.proposals.some((one) => one?.proposalType === "remove" && one.remove.removed === ownLeaf);
      return isAllowed(signedIn(commit));
    };
    const judged = await judgeCommit(state, { bytes, isAllowed: asked }, suite);
    if (judged.kind === "void") return { kind: "void" };
    const { commit } = judged;
    const { committer, path } = commit;
    if (isRemoved)
      return { kind: "valid", state: { ...state, groupActiveState: { kind: "removedFromGroup" } }, committer };
    // A member cannot process its own commit: without the state that it made with it, it must join again.
    if (committer === ownLeaf) return { kind: "unusable" };
    try {
      const secret = path && (await (repair ? openRepair(commit, repair, suite) : openPathSecret(commit, suite)));
      const derived = secret && (await derivePath(commit, secret, suite));
      if (path !== undefined && derived === undefined) return { kind: "unusable" };
      const next = await enterEpoch(commit, derived, suite);
      if (next === undefined) return { kind: "unusable" };
      const mustRenew = secret && secret.node !== firstCommonAncestor(commit.tree, toLeafIndex(ownLeaf), committer);
      return { kind: "valid", state: next, committer, ...(mustRenew && { mustRenew }) };
    } catch {
      return { kind: "unusable" };
    }
  }

  async repair(state: ClientState, { commit: bytes, isAllowed, leaf }: Parameters<NonNullable<Mls["repair"]>>[1]) {
    const suite = await this.#suite;
    const judged = await judgeCommit(state, { bytes, isAllowed: (asked) => isAllowed(signedIn(asked)) }, suite);
    if (judged.kind === "void" || judged.commit.path === undefined) return undefined;
    const { commit } = judged;
    const opened = await openPathSecret(commit, suite);
    const derived = opened && (await derivePath(commit, opened, suite));
    return derived && sealRepair(commit, { leaf, opened }, suite);
  }
}

/**
 * Past epochs are kept as states of their own, which end. The library keeps them in each state, and all of them if it is told to keep
 * none.
 */
function withoutPast(state: ClientState): ClientState {
  return { ...state, historicalReceiverData: new Map() };
}

/** RFC 9420, sections 8 and 9.1. */
function nextSecret(secret: Uint8Array, generation: number): Uint8Array {
  const label = utf8("MLS 1.0 secret");
  const number = [24, 16, 8, 0].map((bits) => (generation >> bits) & 255);
  const info = concatBytes(Uint8Array.of(0, 32, label.length), label, Uint8Array.of(4, ...number));
  return hkdfSha256Expand(secret, info, 32);
}

type Asked = Parameters<Parameters<typeof judgeCommit>[1]["isAllowed"]>[0];

/** The part of a commit that all members can read. */
function signedIn({ committer, proposals, path }: Asked): SignedCommit {
  const leaf = path && { identity: identityOf(path.leafNode), signatureKey: path.leafNode.signaturePublicKey };
  return { committer, proposals: proposals.map(kindOf), ...(leaf && { leaf }) };
}

function viewOf({ groupContext, ratchetTree }: Pick<ClientState, "groupContext" | "ratchetTree">) {
  return {
    groupId: groupContext.groupId,
    epoch: groupContext.epoch,
    leaves: ratchetTree.flatMap((node, at) => (node?.nodeType === "leaf" ? [leafOf(node.leaf, at / 2)] : [])),
    extension: (type: number) => contentsOf(groupContext.extensions).get(type),
  };
}

function leafOf(leaf: LeafNode, index: number): Leaf {
  const { signaturePublicKey: signatureKey, hpkePublicKey: encryptionKey } = leaf;
  return { index, identity: identityOf(leaf), signatureKey, encryptionKey };
}

function kindOf(proposal: Proposal | undefined): ProposalKind {
  switch (proposal?.proposalType) {
    case "add":
      return addOf(proposal.add.keyPackage);
    case "remove":
      return { kind: "remove", leaf: proposal.remove.removed };
    case "group_context_extensions": {
      const given = proposal.groupContextExtensions.extensions;
      const extensions = contentsOf(given);
      // RFC 9420, section 13.4: a list has each type once.
      return extensions.size === given.length ? { kind: "extensions", extensions } : { kind: "other" };
    }
    default:
      return { kind: "other" };
  }
}

function addOf({ leafNode, extensions }: KeyPackage): ProposalKind {
  const replaces = contentsOf(extensions).get(replacesType);
  return {
    kind: "add",
    identity: identityOf(leafNode),
    signatureKey: leafNode.signaturePublicKey,
    ...(replaces && { replaces }),
  };
}

function withExtensions(old: readonly Extension[], changed: ReadonlyMap<number, Uint8Array>): Extension[] {
  return encoded(new Map([...contentsOf(old), ...changed]));
}

function contentsOf(extensions: readonly Extension[]): Map<number, Uint8Array> {
  return new Map(
    extensions.map(({ extensionType, extensionData }) => [extensionTypeToNumber(extensionType), extensionData]),
  );
}

/** With the names that the library has for types of RFC 9420. */
function encoded(contents: ReadonlyMap<number, Uint8Array>): Extension[] {
  return [...contents].map(([type, extensionData]) => {
    const extensionType = decodeExtensionType(Uint8Array.of(type >> 8, type & 0xff), 0)?.[0] ?? type;
    return { extensionType, extensionData };
  });
}

function messageIn<W extends MLSMessage["wireformat"]>(bytes: Uint8Array, wireformat: W) {
  const message = decodeMlsMessage(bytes, 0)?.[0];
  if (message?.wireformat !== wireformat) throw new Error(`not an MLSMessage with ${wireformat}`);
  return message as Extract<MLSMessage, { wireformat: W }>;
}

function keyPackageIn(bytes: Uint8Array): KeyPackage {
  return messageIn(bytes, "mls_key_package").keyPackage;
}

function ownPackage({ keyPackage, privateKeys }: OwnKeyPackage) {
  return { publicPackage: keyPackageIn(keyPackage), privatePackage: decodeRecord<PrivateKeyPackage>(privateKeys) };
}

function identityOf({ credential }: { credential: KeyPackage["leafNode"]["credential"] }): Uint8Array {
  return credential.credentialType === "basic" && "identity" in credential ? credential.identity : new Uint8Array();
}
