// What is read of the messages and states of ts-mls.

import {
  type ClientConfig,
  type ClientState,
  decodeMlsMessage,
  defaultAuthenticationService,
  defaultKeyPackageEqualityConfig,
  defaultKeyRetentionConfig,
  defaultLifetimeConfig,
  type Extension,
  type KeyPackage,
  type LeafNode,
  type MLSMessage,
} from "ts-mls";
import { extensionTypeToNumber } from "ts-mls/extension.js";
import { encodeGroupContext } from "ts-mls/groupContext.js";
import { encodeRatchetTree } from "ts-mls/ratchetTree.js";
import { concatBytes } from "../../protocol/encodings.js";
import type { Leaf } from "./mls.js";

export const config: ClientConfig = {
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

export interface Signer {
  signKey: Uint8Array;
  publicKey: Uint8Array;
}

export function viewOf({ groupContext, ratchetTree }: Pick<ClientState, "groupContext" | "ratchetTree">) {
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

/** An epoch as everybody may know it. */
export type Outline = Pick<ClientState, "groupContext" | "ratchetTree" | "confirmationTag">;

export function encodeOutline({ groupContext, ratchetTree, confirmationTag }: Outline): Uint8Array {
  return concatBytes(encodeGroupContext(groupContext), encodeRatchetTree(ratchetTree), confirmationTag);
}

export function contentsOf(extensions: readonly Extension[]): Map<number, Uint8Array> {
  return new Map(
    extensions.map(({ extensionType, extensionData }) => [extensionTypeToNumber(extensionType), extensionData]),
  );
}

export function messageIn<W extends MLSMessage["wireformat"]>(bytes: Uint8Array, wireformat: W) {
  const message = decodeMlsMessage(bytes, 0)?.[0];
  if (message?.wireformat !== wireformat) throw new Error(`not an MLSMessage with ${wireformat}`);
  return message as Extract<MLSMessage, { wireformat: W }>;
}

export function keyPackageIn(bytes: Uint8Array): KeyPackage {
  return messageIn(bytes, "mls_key_package").keyPackage;
}

export function identityOf({ credential }: { credential: KeyPackage["leafNode"]["credential"] }): Uint8Array {
  return credential.credentialType === "basic" && "identity" in credential ? credential.identity : new Uint8Array();
}
