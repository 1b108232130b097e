import {
  branchGroup,
  type CiphersuiteImpl,
  type ClientState,
  createCommit,
  createGroup,
  decodeGroupState,
  decodeMlsMessage,
  defaultCapabilities,
  defaultLifetime,
  emptyPskIndex,
  encodeGroupState,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  joinGroup,
  joinGroupFromBranch,
  type KeyPackage,
  type MlsPublicMessage,
  mlsExporter,
  nobleCryptoProvider,
  type Proposal,
  processPublicMessage,
  type Welcome,
} from "ts-mls";
import type { Exporter } from "../../src/client/crypto/envelope.js";
import { type EpochKeys, epochKeysOf, openEnvelope, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import type { CommitValidity } from "../../src/client/slots/commit-outcomes.js";
import type {
  DecidedCommit,
  MadeCommit,
  PendingCommit,
  PendingCommitStore,
} from "../../src/client/slots/pending-commit.js";
import { encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { cipherSuite } from "./member.js";

/** What a member keeps on its disk, and has after a crash. */
interface SlotMemberDisk {
  group: Uint8Array | undefined;
  /** When the group's present epoch was entered, in milliseconds since 1970. */
  enteredAt: number;
  pending: PendingCommit | undefined;
}

/** What those who join need. */
interface Invitation {
  welcome: Welcome;
  tree: ClientState["ratchetTree"];
}

/** A member of a group whose commits go through slots. Its functions are those that `createCommitSlots` asks for. */
export interface SlotMember {
  readonly name: string;
  readonly keyPackage: KeyPackage;
  readonly disk: SlotMemberDisk;
  readonly store: PendingCommitStore;
  exporter: Exporter;
  found(groupId: string): Promise<void>;
  /** Adds members before the group has anybody else, so that no slot is needed. */
  addFirst(keyPackages: readonly KeyPackage[]): Promise<Invitation>;
  join(invitation: Invitation): Promise<void>;
  /** A commit, sealed for the members. Without proposals: fresh keys for the whole group. */
  makeCommit(proposals?: readonly Proposal[]): Promise<MadeCommit & { invitation?: Invitation }>;
  /** Founds a group that continues this one (RFC 9420, section 11.3), without entering it. */
  branch(groupId: string, keyPackages: readonly KeyPackage[]): Promise<Branch>;
  /** Leaves the group for one that continues it. */
  joinBranch(branch: Branch): Promise<void>;
  leaf(): number;
  /** Those of the present epoch. */
  keys(): Promise<EpochKeys>;
  evaluate(content: Uint8Array): Promise<CommitValidity>;
  apply(commit: Pick<DecidedCommit, "content" | "state">): Promise<void>;
  /** Forgets what is only in memory, as a crash does. */
  crash(): void;
  /** Whether it has not been removed from the group. */
  isActive(): boolean;
  epoch(): bigint;
  /** In hex. Equal for all members in the same state of the group, and only for them (RFC 9420, section 8.7). */
  authenticator(): string;
}

/** A group that continues another one. */
interface Branch extends Invitation {
  /** The leaf of its creator in the old group. Of several branches, the one with the lowest counts. */
  creator: number;
  /** Its creator's state. */
  founded: ClientState;
}

export async function createSlotMember(name: string): Promise<SlotMember> {
  const suite = await getCiphersuiteImpl(getCiphersuiteFromName(cipherSuite), nobleCryptoProvider);
  const signKey = newSecretKey();
  const own = await generateKeyPackageWithKey(
    { credentialType: "basic" as const, identity: utf8(name) },
    defaultCapabilities(),
    defaultLifetime,
    [],
    { signKey, publicKey: publicKeyOf(signKey) },
    suite,
  );
  const disk: SlotMemberDisk = { group: undefined, enteredAt: 0, pending: undefined };
  let group: ClientState | undefined;
  let config: ClientState["clientConfig"] | undefined;

  const state = (): ClientState => {
    if (group === undefined && disk.group !== undefined) group = readState(disk.group, config);
    if (group === undefined) throw new Error(`${name} is not in a group`);
    return group;
  };
  const enter = (next: ClientState): void => {
    config = next.clientConfig;
    disk.group = encodeGroupState(next);
    disk.enteredAt = Date.now();
    group = next;
  };
  const exporter: Exporter = (label, context, length) =>
    mlsExporter(state().keySchedule.exporterSecret, label, context, length, suite);
  const keys = () => epochKeysOf(exporter);

  return {
    name,
    keys,
    keyPackage: own.publicPackage,
    disk,
    exporter,
    store: {
      load: async () => disk.pending,
      async save(pending) {
        disk.pending = structuredClone(pending);
      },
      async clear() {
        disk.pending = undefined;
      },
    },
    async found(groupId) {
      enter(await createGroup(utf8(groupId), own.publicPackage, own.privatePackage, [], suite));
    },
    async addFirst(keyPackages) {
      const extraProposals = keyPackages.map((keyPackage) => ({ proposalType: "add" as const, add: { keyPackage } }));
      const { newState, welcome } = await createCommit(
        { state: state(), cipherSuite: suite },
        { extraProposals, ratchetTreeExtension: true },
      );
      if (welcome === undefined) throw new Error("the commit has no welcome");
      enter(newState);
      return { welcome, tree: newState.ratchetTree };
    },
    async join({ welcome, tree }) {
      enter(await joinGroup(welcome, own.publicPackage, own.privatePackage, emptyPskIndex, suite, tree));
    },
    async makeCommit(proposals = []) {
      const { newState, commit, welcome } = await createCommit(
        { state: state(), cipherSuite: suite },
        { wireAsPublicMessage: true, extraProposals: [...proposals] },
      );
      const made = { content: sealEnvelope(await keys(), encodeMlsMessage(commit)), state: encodeGroupState(newState) };
      return welcome === undefined ? made : { ...made, invitation: { welcome, tree: newState.ratchetTree } };
    },
    async branch(groupId, keyPackages) {
      const { publicPackage, privatePackage } = own;
      const id = utf8(groupId);
      const made = await branchGroup(state(), publicPackage, privatePackage, [...keyPackages], id, suite);
      if (made.welcome === undefined) throw new Error("the branch has no welcome");
      const { newState: founded, welcome } = made;
      return { founded, welcome, tree: founded.ratchetTree, creator: state().privatePath.leafIndex };
    },
    async joinBranch({ founded, welcome, tree, creator }) {
      if (creator === state().privatePath.leafIndex) return enter(founded);
      enter(await joinGroupFromBranch(state(), welcome, own.publicPackage, own.privatePackage, tree, suite));
    },
    leaf: () => state().privatePath.leafIndex,
    async evaluate(content) {
      const message = openCommit(content, await keys());
      return message === undefined ? "void" : evaluateCommit(state(), message, suite);
    },
    async apply({ content, state: made }) {
      if (made !== undefined) return enter(readState(made, state().clientConfig));
      const message = openCommit(content, await keys());
      if (message === undefined) throw new Error("a void commit cannot be applied");
      enter((await processPublicMessage(state(), message.publicMessage, emptyPskIndex, suite)).newState);
    },
    crash() {
      group = undefined;
    },
    isActive: () => state().groupActiveState.kind === "active",
    epoch: () => state().groupContext.epoch,
    authenticator: () => encodeHex(state().keySchedule.epochAuthenticator),
  };
}

function readState(bytes: Uint8Array, config: ClientState["clientConfig"] | undefined): ClientState {
  const decoded = decodeGroupState(bytes, 0);
  if (decoded === undefined || config === undefined) throw new Error("the stored state of the group cannot be read");
  return { ...decoded[0], clientConfig: config };
}

/** Undefined for content that does not open, or is not a commit. */
function openCommit(content: Uint8Array, keys: EpochKeys): MlsPublicMessage | undefined {
  const plain = openEnvelope(keys, content);
  if (plain === undefined) return undefined;
  try {
    const message = decodeMlsMessage(plain, 0)?.[0];
    const isCommit =
      message?.wireformat === "mls_public_message" && message.publicMessage.content.contentType === "commit";
    return isCommit ? (message as MlsPublicMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** What no member accepts is void; what this member alone cannot follow is unusable. */
async function evaluateCommit(
  state: ClientState,
  message: MlsPublicMessage,
  suite: CiphersuiteImpl,
): Promise<CommitValidity> {
  const { content } = message.publicMessage;
  const isHere =
    encodeHex(content.groupId) === encodeHex(state.groupContext.groupId) && content.epoch === state.groupContext.epoch;
  if (!isHere || content.sender.senderType !== "member") return "void";
  // A member cannot process its own commit: without the state that it made with it, it joins again.
  if (content.sender.leafIndex === state.privatePath.leafIndex) return "unusable";
  try {
    await processPublicMessage(state, message.publicMessage, emptyPskIndex, suite);
    return "valid";
  } catch (problem) {
    const text = problem instanceof Error ? problem.message : "";
    return /^(?:Could not verify membership|Signature invalid)$/.test(text) ? "void" : "unusable";
  }
}
