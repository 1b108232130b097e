// What this package needs of an MLS library. `tsMls` is the one that it brings; any other can stand behind the same interface.

import type { Exporter } from "../../client/index.js";

/** A key package of this device, with its private keys. */
export interface OwnKeyPackage {
  /** As others get it: an MLSMessage (RFC 9420, section 6). */
  keyPackage: Uint8Array;
  /** What the library needs to join with it, in a form of its own. */
  privateKeys: Uint8Array;
  /** The private half of the init key, to which Welcomes are sealed. */
  initPrivateKey: Uint8Array;
}

/**
 * The extension of a key package with which a device replaces its own leaf. From the range that RFC 9420 leaves for private use; members
 * need not know it.
 */
export const replacesType = 0xf043;

/** What a key package says of whom it adds. */
export interface KeyPackageContent {
  cipherSuite: number;
  initKey: Uint8Array;
  identity: Uint8Array;
  signatureKey: Uint8Array;
  /** The content of its extension `replacesType`. */
  replaces?: Uint8Array | undefined;
}

/** A leaf of the ratchet tree. */
export interface Leaf {
  index: number;
  /** The content of its basic credential. */
  identity: Uint8Array;
  signatureKey: Uint8Array;
  /** The public key to which others encrypt the secrets of paths. */
  encryptionKey: Uint8Array;
}

export interface GroupView {
  groupId: Uint8Array;
  epoch: bigint;
  /** False once a commit has removed this member. Such a state has the epoch that it was removed in. */
  isMember: boolean;
  ownLeaf: number;
  /** In the order of the tree. */
  leaves: Leaf[];
  /** The content of an extension of the group's context, as RFC 9420 encodes it. */
  extension(type: number): Uint8Array | undefined;
}

/** What one commit changes. */
export interface Change {
  /** MLSMessages with key packages. */
  add?: readonly Uint8Array[];
  /** Leaf indices. */
  remove?: readonly number[];
  /** Contents of the group's context by extension type. Other extensions stay as they are, required capabilities included. */
  extensions?: ReadonlyMap<number, Uint8Array>;
  /** Another content of the committer's own credential. */
  identity?: Uint8Array;
}

export interface MadeChange<State> {
  /** The state that the commit leads to. */
  state: State;
  /** An MLSMessage with a PublicMessage. */
  commit: Uint8Array;
  /** An MLSMessage with one Welcome for all who are added, in the order of the key packages. Its GroupInfo has the ratchet tree. */
  welcome?: Uint8Array;
}

/** What another member's commit does. The state is the next one. */
export type ProcessedCommit<State> =
  /** `mustRenew`: this member has a key of its path less than others think, until it commits. */
  { kind: "valid"; state: State; committer: number; mustRenew?: boolean } | { kind: "void" } | { kind: "unusable" };

/** A proposal of a commit, as far as the rules of the group distinguish them. */
export type ProposalKind =
  | { kind: "add"; identity: Uint8Array; signatureKey: Uint8Array; replaces?: Uint8Array | undefined }
  | { kind: "remove"; leaf: number }
  /** All extensions that the group's context has from then on, those of RFC 9420 included. */
  | { kind: "extensions"; extensions: ReadonlyMap<number, Uint8Array> }
  | { kind: "other" };

/** A commit whose signature was verified, as far as every member can read it. */
export interface SignedCommit {
  /** A leaf index. */
  committer: number;
  proposals: ProposalKind[];
  /** What takes the place of the committer's leaf, if the commit has a path. */
  leaf?: Pick<Leaf, "identity" | "signatureKey">;
}

/**
 * An MLS library. States are values: no function changes a state that it is given. Functions throw for input that the library refuses,
 * unless they say otherwise.
 */
export interface Mls<State = unknown> {
  /** The number of the MLS cipher suite of new groups and key packages. */
  readonly cipherSuite: number;
  /** A new signature key pair, in a form of the library's own. */
  newSigner(): Promise<Uint8Array>;
  publicKeyOf(signer: Uint8Array): Promise<Uint8Array>;
  /** Its capabilities name the extension types 0xF000 and 0xF042, which groups require of their members. */
  newKeyPackage(options: {
    identity: Uint8Array;
    signer: Uint8Array;
    /** The content of an extension of the key package with the type `replacesType`. */
    replaces?: Uint8Array | undefined;
  }): Promise<OwnKeyPackage>;
  readKeyPackage(keyPackage: Uint8Array): Promise<KeyPackageContent>;
  /** The own leaf has the same capabilities as a key package. */
  found(options: {
    groupId: Uint8Array;
    identity: Uint8Array;
    signer: Uint8Array;
    extensions: ReadonlyMap<number, Uint8Array>;
  }): Promise<State>;
  /**
   * `welcome` is an MLSMessage with a Welcome for this key package, and perhaps for others. `signer` is the leaf whose signature of the GroupInfo was verified. A
   * library may leave it out: then nobody knows who has added this device.
   */
  join(options: { welcome: Uint8Array; own: OwnKeyPackage }): Promise<{ state: State; signer?: number }>;
  /** The whole state, to be read by `load` after a restart. Past epochs are not in it. */
  save(state: State): Uint8Array;
  load(saved: Uint8Array): Promise<State>;
  view(state: State): GroupView;
  /**
   * The public part of an epoch, which is the same for all its members: the GroupContext and the `ratchet_tree` as RFC 9420 encodes them, and then the
   * bytes of the confirmation tag.
   */
  outline(state: State): Uint8Array;
  exporterOf(state: State): Exporter;
  encrypt(state: State, content: Uint8Array): Promise<{ state: State; message: Uint8Array }>;
  /** `sender` is the leaf whose signature was verified. */
  decrypt(state: State, message: Uint8Array): Promise<{ state: State; content: Uint8Array; sender: number }>;
  /** Every commit but one that only adds has a path (RFC 9420, section 12.4), and so has one with another identity. */
  commit(state: State, change: Change): Promise<MadeChange<State>>;
  /**
   * Never throws. `void` is content that no member of the epoch would apply, and `unusable` what this member alone cannot apply. This package has judged
   * what all can see of the commit before (`judged`), so to the library it is void only if its membership tag is wrong, or its confirmation tag although
   * it has no path. `isAllowed` then always says yes.
   */
  process(
    state: State,
    commit: Uint8Array,
    isAllowed: (commit: SignedCommit) => boolean,
  ): Promise<ProcessedCommit<State>>;
  /**
   * For a member who cannot open its path secret of another member's commit: seals one to the key of their leaf. `state` is that of the epoch that the
   * commit ends, and `own` what another member has sealed for this one. Undefined if the commit does not leave that leaf in the group, has no path, or cannot be
   * opened here either. A library may lack it.
   */
  repair?(
    state: State,
    options: {
      commit: Uint8Array;
      isAllowed: (commit: SignedCommit) => boolean;
      leaf: number;
      own?: Uint8Array | undefined;
    },
  ): Promise<Uint8Array | undefined>;
  /** As `process`, with what `repair` of another member has sealed for this one. A library may lack it. */
  processRepaired?(
    state: State,
    options: { commit: Uint8Array; isAllowed: (commit: SignedCommit) => boolean; repair: Uint8Array },
  ): Promise<ProcessedCommit<State>>;
}

/** A library that also judges commits, by the rules in judging/commit-rules.ts: ts-mls. */
export interface JudgingMls<State = unknown> extends Mls<State> {
  /**
   * Follows commits, as `commit` makes them, from one outline to the next without keys. Each must be signed by a member of the tree of its time, right in all
   * that everybody can see, and allowed by the group of its time. Throws if one is not.
   */
  follow(
    outline: Uint8Array,
    commits: readonly Uint8Array[],
    isAllowed: (view: GroupView, commit: SignedCommit) => boolean,
  ): Promise<{ outline: Uint8Array; committer: number | undefined }>;
}
