// ts-mls behind the interface of this package. What changes a group, or leads into one, is in ts-mls-epochs.ts, which is loaded when it is needed.

import {
  type CiphersuiteImpl,
  type ClientState,
  createApplicationMessage,
  decodeGroupState,
  encodeGroupState,
  encodeMlsMessage,
  mlsExporter,
} from "ts-mls";
import { unprotectPrivateMessage } from "ts-mls/messageProtection.js";
import { decryptSenderData } from "ts-mls/privateMessage.js";
import { hkdfSha256Expand, loaded } from "../../client/index.js";
import { concatBytes, utf8 } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { type Change, type GroupView, type JudgingMls, type Mls, replacesType, type SignedCommit } from "./mls.js";
import { messageSuite, suiteName } from "./ts-mls-crypto.js";
import type { Epochs } from "./ts-mls-epochs.js";
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

/** The MLS library ts-mls, with the cipher suite 1. */
export function tsMls(): JudgingMls {
  return new TsMls() as JudgingMls;
}

class TsMls implements JudgingMls<ClientState> {
  readonly cipherSuite = 1;
  /** Without HPKE, which only `#epochs` has. */
  readonly #suite = messageSuite() as Promise<CiphersuiteImpl>;
  #loading: Promise<Epochs> | undefined;
  /** By what they show, which a text leaves as it is. */
  readonly #views = new WeakMap<ClientState["groupContext"], { of: ClientState; view: GroupView }>();

  /** Throws NotLoadedError, before anything is judged: a file that is missing says nothing of a commit. */
  async #epochs(): Promise<Epochs> {
    const load = async () => (await loaded(import("./ts-mls-epochs.js"))).epochsWith(await this.#suite);
    this.#loading ??= load();
    try {
      return await this.#loading;
    } catch (problem) {
      this.#loading = undefined;
      throw problem;
    }
  }

  async newSigner(): Promise<Uint8Array> {
    const { signKey, publicKey } = await (await this.#suite).signature.keygen();
    return encodeRecord({ signKey, publicKey });
  }

  async publicKeyOf(signer: Uint8Array): Promise<Uint8Array> {
    return decodeRecord<Signer>(signer).publicKey;
  }

  async newKeyPackage(options: Parameters<Mls["newKeyPackage"]>[0]) {
    return (await this.#epochs()).newKeyPackage(options);
  }

  async readKeyPackage(bytes: Uint8Array) {
    const { initKey, leafNode, cipherSuite, extensions } = keyPackageIn(bytes);
    if (cipherSuite !== suiteName) throw new Error("the key package has another cipher suite");
    const { signaturePublicKey: signatureKey } = leafNode;
    const replaces = contentsOf(extensions).get(replacesType);
    return { cipherSuite: this.cipherSuite, initKey, identity: identityOf(leafNode), signatureKey, replaces };
  }

  async found(options: Parameters<Mls["found"]>[0]) {
    return (await this.#epochs()).found(options);
  }

  async join(options: Parameters<Mls["join"]>[0]) {
    return (await this.#epochs()).join(options);
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

  async follow(...given: Parameters<JudgingMls["follow"]>) {
    return (await this.#epochs()).follow(...given);
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
      const { skipTowards } = await loaded(import("./ratchet-skips.js"));
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

  async commit(state: ClientState, change: Change) {
    return (await this.#epochs()).commit(state, change);
  }

  async process(state: ClientState, commit: Uint8Array, isAllowed: (commit: SignedCommit) => boolean) {
    return (await this.#epochs()).process(state, { commit, isAllowed });
  }

  async processRepaired(state: ClientState, options: Parameters<NonNullable<Mls["processRepaired"]>>[1]) {
    return (await this.#epochs()).process(state, options);
  }

  async repair(state: ClientState, options: Parameters<NonNullable<Mls["repair"]>>[1]) {
    return (await this.#epochs()).repair(state, options);
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
