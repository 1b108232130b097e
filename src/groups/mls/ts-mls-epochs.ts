// What changes a group, or leads into one: commits, Welcomes and key packages. It is loaded when the first of them is there. Until then most starts only read and write
// messages.

import {
  type CiphersuiteImpl,
  type ClientState,
  type Credential,
  createGroup,
  defaultCapabilities,
  defaultLifetime,
  type Extension,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  type KeyPackage,
  type PrivateKeyPackage,
  type Proposal,
} from "ts-mls";
import { decodeExtensionType } from "ts-mls/extension.js";
import { toLeafIndex } from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { judgeCommit } from "../judging/commit-rules.js";
import { derivePath, enterEpoch, openPathSecret, openRepair, sealRepair } from "../judging/path-secrets.js";
import {
  type Change,
  type JudgingMls,
  type MadeChange,
  type Mls,
  type OwnKeyPackage,
  type ProcessedCommit,
  type ProposalKind,
  replacesType,
  type SignedCommit,
} from "./mls.js";
import { makeCommit } from "./ts-mls-commits.js";
import { suiteName } from "./ts-mls-crypto.js";
import { withHpke } from "./ts-mls-hpke.js";
import { joinGroup } from "./ts-mls-join.js";
import type { MessageSuite } from "./ts-mls-native-crypto.js";
import { decodeOutline, nextOutline } from "./ts-mls-outline.js";
import {
  config,
  contentsOf,
  encodeOutline,
  identityOf,
  keyPackageIn,
  messageIn,
  type Signer,
  viewOf,
} from "./ts-mls-reading.js";

/** Extension types that groups of this package use: members must be able to read them. RFC 9420, section 10, wants those of key packages as well. */
const usedExtensions = [0xf000, 0xf042, replacesType];

/** These parts of the library, with the cipher suite of messages and HPKE. Throws NotLoadedError. */
export async function epochsWith(suite: MessageSuite): Promise<Epochs> {
  return new Epochs(await withHpke(suite));
}

export class Epochs {
  readonly #suite: CiphersuiteImpl;

  constructor(suite: CiphersuiteImpl) {
    this.#suite = suite;
  }

  async newKeyPackage(of: Parameters<Mls["newKeyPackage"]>[0]): Promise<OwnKeyPackage> {
    const { publicPackage, privatePackage } = await this.#generate(of);
    return {
      keyPackage: encodeMlsMessage({ version: "mls10", wireformat: "mls_key_package", keyPackage: publicPackage }),
      privateKeys: encodeRecord({ ...privatePackage }),
      initPrivateKey: privatePackage.initPrivateKey,
    };
  }

  async found({ groupId, extensions, ...of }: Parameters<Mls["found"]>[0]): Promise<ClientState> {
    const { publicPackage, privatePackage } = await this.#generate(of);
    return createGroup(groupId, publicPackage, privatePackage, encoded(extensions), this.#suite, config);
  }

  async join({ welcome, own: made }: Parameters<Mls["join"]>[0]) {
    const read = messageIn(welcome, "mls_welcome").welcome;
    return joinGroup({ welcome: read, ...ownPackage(made) }, this.#suite, config);
  }

  async follow(given: Uint8Array, commits: readonly Uint8Array[], isAllowed: Parameters<JudgingMls["follow"]>[2]) {
    const suite = this.#suite;
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
    const made = await makeCommit(state, { proposals, credential }, this.#suite);
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
      this.#suite,
    );
  }

  async process(
    state: ClientState,
    {
      commit: bytes,
      isAllowed,
      repair,
    }: { commit: Uint8Array; isAllowed: (commit: SignedCommit) => boolean; repair?: Uint8Array },
  ): Promise<ProcessedCommit<ClientState>> {
    const suite = this.#suite;
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

  async repair(state: ClientState, { commit: bytes, isAllowed, leaf, own }: Parameters<NonNullable<Mls["repair"]>>[1]) {
    const suite = this.#suite;
    const judged = await judgeCommit(state, { bytes, isAllowed: (asked) => isAllowed(signedIn(asked)) }, suite);
    if (judged.kind === "void" || judged.commit.path === undefined) return undefined;
    const { commit } = judged;
    const opened = await (own ? openRepair(commit, own, suite) : openPathSecret(commit, suite));
    const derived = opened && (await derivePath(commit, opened, suite));
    return derived && sealRepair(commit, { leaf, opened }, suite);
  }
}

type Asked = Parameters<Parameters<typeof judgeCommit>[1]["isAllowed"]>[0];

/** The part of a commit that all members can read. */
function signedIn({ committer, proposals, path }: Asked): SignedCommit {
  const leaf = path && { identity: identityOf(path.leafNode), signatureKey: path.leafNode.signaturePublicKey };
  return { committer, proposals: proposals.map(kindOf), ...(leaf && { leaf }) };
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

/** With the names that the library has for types of RFC 9420. */
function encoded(contents: ReadonlyMap<number, Uint8Array>): Extension[] {
  return [...contents].map(([type, extensionData]) => {
    const extensionType = decodeExtensionType(Uint8Array.of(type >> 8, type & 0xff), 0)?.[0] ?? type;
    return { extensionType, extensionData };
  });
}

function ownPackage({ keyPackage, privateKeys }: OwnKeyPackage) {
  return { publicPackage: keyPackageIn(keyPackage), privatePackage: decodeRecord<PrivateKeyPackage>(privateKeys) };
}
