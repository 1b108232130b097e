import {
  acceptAll,
  type CiphersuiteImpl,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  decodeMlsMessage,
  defaultCapabilities,
  defaultLifetime,
  emptyPskIndex,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  joinGroup,
  type MLSMessage,
  mlsExporter,
  nobleCryptoProvider,
  processPrivateMessage,
} from "ts-mls";
import type { Exporter } from "../../src/client/crypto/envelope.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import type { OwnKeyPackage, WelcomeRecipient } from "../../src/client/sealing/sealed-welcomes.js";
import { utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";

/** The cipher suite of the specification (0x0003). */
export const cipherSuite = "MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519";
const suiteNumber = 3;

/** A message that a member has received and processed. */
type Received = { kind: "joined" } | { kind: "commit" } | { kind: "text"; text: string };

/** How many epochs ago a message may have been encrypted: as many as ts-mls keeps keys of. */
export const pastEpochs = 4;

/** A member of an MLS group (RFC 9420). It does no networking: all input and output are bytes. */
export interface Member {
  readonly name: string;
  /** A key package for others to add this member by. */
  readonly keyPackage: Uint8Array;
  /** The part of it that opens Welcomes. */
  readonly ownKeyPackage: OwnKeyPackage;
  /** Of the present epoch. */
  readonly exporter: Exporter;
  found(groupId: string): Promise<void>;
  /** Adds members. The welcome, which contains the ratchet tree, is for them; the commit is for the earlier members. */
  add(keyPackages: readonly Uint8Array[]): Promise<{ commit: Uint8Array; welcome: Uint8Array }>;
  /** A commit without proposals: fresh keys for the whole group. */
  commit(): Promise<Uint8Array>;
  encrypt(text: string): Promise<Uint8Array>;
  receive(message: Uint8Array): Promise<Received>;
  epoch(): bigint;
  /** Equal for all members in the same epoch of the same group, and only for them (RFC 9420, section 8.7). */
  epochAuthenticator(): Uint8Array;
}

export async function createMember(name: string, leafKey = newSecretKey()): Promise<Member> {
  const suite = await getCiphersuiteImpl(getCiphersuiteFromName(cipherSuite), nobleCryptoProvider);
  const own = await newKeyPackage(name, leafKey, suite);
  let group: ClientState | undefined;
  const state = (): ClientState => {
    if (group === undefined) throw new Error(`${name} is not in a group`);
    return group;
  };

  return {
    name,
    keyPackage: encode({ wireformat: "mls_key_package", keyPackage: own.publicPackage }),
    ownKeyPackage: { cipherSuite: suiteNumber, initPrivateKey: own.privatePackage.initPrivateKey },
    exporter: (label, context, length) =>
      mlsExporter(state().keySchedule.exporterSecret, label, context, length, suite),
    async found(groupId) {
      group = await createGroup(utf8(groupId), own.publicPackage, own.privatePackage, [], suite);
    },
    async add(keyPackages) {
      const proposals = keyPackages.map((bytes) => ({
        proposalType: "add" as const,
        add: { keyPackage: readKeyPackage(bytes) },
      }));
      const options = { extraProposals: proposals, ratchetTreeExtension: true };
      const { newState, welcome, commit } = await createCommit({ state: state(), cipherSuite: suite }, options);
      if (welcome === undefined) throw new Error("the commit has no welcome");
      group = newState;
      return { commit: encodeMlsMessage(commit), welcome: encode({ wireformat: "mls_welcome", welcome }) };
    },
    async commit() {
      const { newState, commit } = await createCommit({ state: state(), cipherSuite: suite });
      group = newState;
      return encodeMlsMessage(commit);
    },
    async encrypt(text) {
      const { newState, privateMessage } = await createApplicationMessage(state(), utf8(text), suite);
      group = newState;
      return encode({ wireformat: "mls_private_message", privateMessage });
    },
    async receive(bytes) {
      const message = decode(bytes);
      if (message.wireformat === "mls_welcome") {
        group = await joinGroup(message.welcome, own.publicPackage, own.privatePackage, emptyPskIndex, suite);
        return { kind: "joined" };
      }
      const { next, received } = await process(state(), message, suite);
      group = next;
      return received;
    },
    epoch: () => state().groupContext.epoch,
    epochAuthenticator: () => state().keySchedule.epochAuthenticator,
  };
}

function newKeyPackage(name: string, signKey: Uint8Array, suite: CiphersuiteImpl) {
  const credential = { credentialType: "basic" as const, identity: utf8(name) };
  const keys = { signKey, publicKey: publicKeyOf(signKey) };
  return generateKeyPackageWithKey(credential, defaultCapabilities(), defaultLifetime, [], keys, suite);
}

async function process(
  state: ClientState,
  message: MLSMessage,
  suite: CiphersuiteImpl,
): Promise<{ next: ClientState; received: Received }> {
  if (message.wireformat !== "mls_private_message") throw new Error(`unexpected message type ${message.wireformat}`);
  const outcome = await processPrivateMessage(state, message.privateMessage, emptyPskIndex, suite, acceptAll);
  if (outcome.kind === "newState") return { next: outcome.newState, received: { kind: "commit" } };
  return { next: outcome.newState, received: { kind: "text", text: new TextDecoder().decode(outcome.message) } };
}

/** What a Welcome for the owner of a key package is sealed to. */
export function welcomeRecipient(keyPackage: Uint8Array): WelcomeRecipient {
  return { cipherSuite: suiteNumber, initKey: readKeyPackage(keyPackage).initKey };
}

function readKeyPackage(bytes: Uint8Array) {
  const message = decode(bytes);
  if (message.wireformat !== "mls_key_package") throw new Error("this is not a key package");
  return message.keyPackage;
}

type Content<M = MLSMessage> = M extends unknown ? Omit<M, "version"> : never;

function encode(content: Content): Uint8Array {
  return encodeMlsMessage({ version: "mls10", ...content } as MLSMessage);
}

function decode(bytes: Uint8Array): MLSMessage {
  const decoded = decodeMlsMessage(bytes, 0);
  if (decoded === undefined) throw new Error("this is not an MLS message");
  return decoded[0];
}
