import type { Change, GroupView, Mls, OwnKeyPackage, ProcessedCommit } from "../../src/groups/mls/mls.js";
import { helpWith } from "./helping.js";
import { startProgram } from "./program.js";

// OpenMLS behind the interface `Mls` of @mls-relay/groups, as a program in Rust. All of its state is in the states.

/** What OpenMLS has in its memory, with what can be seen of the group: `view` and `outline` answer at once, and the program does not. */
interface State {
  saved: Uint8Array;
  view: GroupView;
  outline: Uint8Array;
}

/** A byte string. */
type Base64 = string;
type Contents = [type: number, content: Base64][];

interface ViewAnswer {
  group_id: Base64;
  epoch: number;
  is_member: boolean;
  own_leaf: number;
  leaves: { index: number; identity: Base64; signature_key: Base64; encryption_key: Base64 }[];
  extensions: Contents;
  outline: Base64;
}

interface Answer {
  error?: string;
  state: Base64;
  view: ViewAnswer;
  kind: "valid" | "void" | "unusable";
  committer: number;
  sender: number;
  cipher_suite: number;
  replaces: Base64 | null;
  keys: KeyPair[];
  welcome?: Base64;
  [bytes: string]: unknown;
}

/** As the program stores it. */
interface KeyPair {
  public_key: { key: { vec: number[] } };
  private_key: { key: { vec: number[] } };
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
  const apply = async (state: State, commit: Uint8Array, secret?: Uint8Array): Promise<ProcessedCommit<State>> => {
    const given = { ...ofState(state), commit: encode(commit), ...(secret && { path_secret: encode(secret) }) };
    const applied = await ask("apply", given);
    if (applied.kind !== "valid") return { kind: applied.kind };
    return { kind: "valid", state: stateIn(applied), committer: applied.committer };
  };
  const helper = async (state: State, commit: Uint8Array) => {
    const { keys } = await ask("path_keys", ofState(state));
    const pairs = keys.map((pair) => [pair.public_key, pair.private_key].map(({ key }) => Uint8Array.from(key.vec)));
    return helpWith({ ...state, pairs: pairs as [Uint8Array, Uint8Array][] }, commit);
  };
  return {
    cipherSuite: 1,
    newSigner: async () => decode((await ask("new_signer"))["signer"]),
    publicKeyOf: async (signer) => decode((await ask("public_key", { signer: encode(signer) }))["public_key"]),
    async newKeyPackage({ identity, signer, replaces }): Promise<OwnKeyPackage> {
      const of = { identity: encode(identity), signer: encode(signer) };
      const made = await ask("new_key_package", { ...of, ...(replaces && { replaces: encode(replaces) }) });
      return {
        keyPackage: decode(made["key_package"]),
        privateKeys: decode(made["private_keys"]),
        initPrivateKey: decode(made["init_private_key"]),
      };
    },
    async readKeyPackage(keyPackage) {
      const read = await ask("read_key_package", { key_package: encode(keyPackage) });
      const { cipher_suite: cipherSuite, init_key: initKey, signature_key: signatureKey, replaces } = read;
      return {
        cipherSuite,
        initKey: decode(initKey),
        identity: decode(read["identity"]),
        signatureKey: decode(signatureKey),
        ...(replaces !== null && { replaces: decode(replaces) }),
      };
    },
    async found({ groupId, identity, signer, extensions }) {
      const of = { group_id: encode(groupId), identity: encode(identity), signer: encode(signer) };
      return stateIn(await ask("found", { ...of, extensions: encodeContents(extensions) }));
    },
    async join({ welcome, own }) {
      const joined = await ask("join", { welcome: encode(welcome), private_keys: encode(own.privateKeys) });
      return { state: stateIn(joined), signer: joined.sender };
    },
    save: ({ saved }) => saved,
    load: async (saved) => stateOf(saved, (await ask("view", { state: encode(saved) })).view),
    view: ({ view }) => view,
    outline: ({ outline }) => outline,
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
    process: (state, commit) => apply(state, commit),
    async repair(state, { commit, leaf }) {
      return (await helper(state, commit))?.seal(leaf);
    },
    async processRepaired(state, { commit, repair }) {
      const secret = await (await helper(state, commit))?.open(repair);
      return secret === undefined ? { kind: "unusable" } : apply(state, commit, secret);
    },
  };
}

function stateIn({ state, view }: Answer): State {
  return stateOf(decode(state), view);
}

function stateOf(saved: Uint8Array, view: ViewAnswer): State {
  return { saved, view: viewIn(view), outline: decode(view.outline) };
}

function viewIn({ group_id, epoch, is_member, own_leaf, leaves, extensions }: ViewAnswer): GroupView {
  const contents = contentsIn(extensions);
  return {
    groupId: decode(group_id),
    epoch: BigInt(epoch),
    isMember: is_member,
    ownLeaf: own_leaf,
    leaves: leaves.map(({ index, identity, signature_key, encryption_key }) => ({
      index,
      identity: decode(identity),
      signatureKey: decode(signature_key),
      encryptionKey: decode(encryption_key),
    })),
    extension: (type) => contents.get(type),
  };
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
