import type {
  Change,
  GroupView,
  Leaf,
  Mls,
  OwnKeyPackage,
  ProposalKind,
  SignedCommit,
} from "../../src/groups/mls/mls.js";
import { startProgram } from "./program.js";

// OpenMLS behind the interface `Mls` of @mls-relay/groups, as a program in Rust. All of its state is in the states.

/** What OpenMLS has in its memory, with what can be seen of the group: `view` answers at once, and the program does not. */
interface State {
  saved: Uint8Array;
  view: GroupView;
}

/** A byte string. */
type Base64 = string;
type Contents = [type: number, content: Base64][];

interface ViewAnswer {
  group_id: Base64;
  epoch: number;
  is_member: boolean;
  own_leaf: number;
  leaves: { index: number; identity: Base64; signature_key: Base64 }[];
  extensions: Contents;
}

type ProposalAnswer =
  | { kind: "add"; identity: Base64; signature_key: Base64 }
  | { kind: "remove"; leaf: number }
  | { kind: "extensions"; extensions: Contents }
  | { kind: "other" };

interface Answer {
  error?: string;
  state: Base64;
  view: ViewAnswer;
  kind: "signed" | "valid" | "void" | "unusable";
  committer: number;
  proposals: ProposalAnswer[];
  leaf: { identity: Base64; signature_key: Base64 } | null;
  sender: number;
  cipher_suite: number;
  welcome?: Base64;
  [bytes: string]: unknown;
}

interface OpenMls {
  mls: Mls;
  stop(): Promise<void>;
}

export function startOpenMls(): OpenMls {
  const program = startProgram<Answer>("openmls-adapter");
  const ask = async (what: string, parts: object = {}): Promise<Answer> => {
    const answer = await program.ask({ do: what, ...parts });
    if (answer.error !== undefined) throw new Error(`OpenMLS: ${answer.error}`);
    return answer;
  };
  return { mls: adapter(ask) as Mls, stop: () => program.stop() };
}

function adapter(ask: (what: string, parts?: object) => Promise<Answer>): Mls<State> {
  const ofState = ({ saved }: State) => ({ state: encode(saved) });
  return {
    cipherSuite: 1,
    newSigner: async () => decode((await ask("new_signer"))["signer"]),
    publicKeyOf: async (signer) => decode((await ask("public_key", { signer: encode(signer) }))["public_key"]),
    async newKeyPackage({ identity, signer }): Promise<OwnKeyPackage> {
      const made = await ask("new_key_package", { identity: encode(identity), signer: encode(signer) });
      return {
        keyPackage: decode(made["key_package"]),
        privateKeys: decode(made["private_keys"]),
        initPrivateKey: decode(made["init_private_key"]),
      };
    },
    async readKeyPackage(keyPackage) {
      const read = await ask("read_key_package", { key_package: encode(keyPackage) });
      const { cipher_suite: cipherSuite, init_key: initKey, identity, signature_key: signatureKey } = read;
      return { cipherSuite, initKey: decode(initKey), identity: decode(identity), signatureKey: decode(signatureKey) };
    },
    async found({ groupId, identity, signer, extensions }) {
      const of = { group_id: encode(groupId), identity: encode(identity), signer: encode(signer) };
      return stateIn(await ask("found", { ...of, extensions: encodeContents(extensions) }));
    },
    join: async ({ welcome, own }) => ({
      state: stateIn(await ask("join", { welcome: encode(welcome), private_keys: encode(own.privateKeys) })),
    }),
    save: ({ saved }) => saved,
    load: async (saved) => ({ saved, view: viewIn((await ask("view", { state: encode(saved) })).view) }),
    view: ({ view }) => view,
    exporterOf: (state) => async (label, context, length) =>
      decode((await ask("export", { ...ofState(state), label, context: encode(context), length }))["secret"]),
    async encrypt(state, content) {
      const made = await ask("encrypt", { ...ofState(state), content: encode(content) });
      return { state: stateIn(made), message: decode(made["message"]) };
    },
    async decrypt(state, message) {
      const opened = await ask("decrypt", { ...ofState(state), message: encode(message) });
      return { state: stateIn(opened), content: decode(opened["content"]), sender: opened.sender };
    },
    async commit(state, { add = [], remove = [], extensions, identity }: Change) {
      const made = await ask("commit", {
        ...ofState(state),
        add: add.map(encode),
        remove,
        ...(extensions && { extensions: encodeContents(extensions) }),
        ...(identity && { identity: encode(identity) }),
      });
      const { welcome } = made;
      return {
        state: stateIn(made),
        commit: decode(made["commit"]),
        ...(welcome !== undefined && { welcome: decode(welcome) }),
      };
    },
    // The program follows no commits without keys: a device that was removed believes whoever adds it again.
    outline: () => new Uint8Array(),
    follow: async (outline) => ({ outline, committer: undefined }),
    async process(state, commit, isAllowed) {
      const given = { ...ofState(state), commit: encode(commit) };
      const signed = await ask("inspect", given);
      if (signed.kind !== "signed" || !isAllowed(signedIn(signed))) return { kind: "void" };
      const applied = await ask("apply", given);
      if (applied.kind === "valid") return { kind: "valid", state: stateIn(applied), committer: signed.committer };
      return { kind: applied.kind === "void" ? "void" : "unusable" };
    },
  };
}

function stateIn({ state, view }: Answer): State {
  return { saved: decode(state), view: viewIn(view) };
}

function viewIn({ group_id, epoch, is_member, own_leaf, leaves, extensions }: ViewAnswer): GroupView {
  const contents = contentsIn(extensions);
  return {
    groupId: decode(group_id),
    epoch: BigInt(epoch),
    isMember: is_member,
    ownLeaf: own_leaf,
    // The program does not tell it, so nobody comes back in place of such a leaf without the rights to remove and to add.
    leaves: leaves.map((leaf) => ({ index: leaf.index, ...memberIn(leaf), encryptionKey: new Uint8Array() })),
    extension: (type) => contents.get(type),
  };
}

function signedIn({ committer, proposals, leaf }: Answer): SignedCommit {
  return { committer, proposals: proposals.map(proposalIn), ...(leaf && { leaf: memberIn(leaf) }) };
}

function proposalIn(proposal: ProposalAnswer): ProposalKind {
  if (proposal.kind === "add") return { kind: "add", ...memberIn(proposal) };
  if (proposal.kind === "extensions") return { kind: "extensions", extensions: contentsIn(proposal.extensions) };
  return proposal;
}

function memberIn(of: { identity: Base64; signature_key: Base64 }): Pick<Leaf, "identity" | "signatureKey"> {
  return { identity: decode(of.identity), signatureKey: decode(of.signature_key) };
}

function contentsIn(contents: Contents): Map<number, Uint8Array> {
  return new Map(contents.map(([type, content]) => [type, decode(content)]));
}

function encodeContents(contents: ReadonlyMap<number, Uint8Array>): Contents {
  return [...contents].map(([type, content]) => [type, encode(content)]);
}

function encode(bytes: Uint8Array): Base64 {
  return Buffer.from(bytes).toString("base64");
}

function decode(text: unknown): Uint8Array {
  if (typeof text !== "string") throw new Error("the answer lacks a byte string");
  return Uint8Array.from(Buffer.from(text, "base64"));
}
