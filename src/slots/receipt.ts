import { createHash, sign } from "node:crypto";
import { privateKeyFromRaw } from "../auth/ed25519-keys.js";
import { encodeHex, utf8 } from "../protocol/encodings.js";
import { publicKeyOf } from "../protocol/signature.js";
import { slotReceiptText } from "../protocol/signed-text.js";

/** The name of the secret that signs receipts. Without it, the next start makes a new one (after a restore). */
export const slotKeySecret = "slot key";

/** The key of this relay's slots. */
export interface SlotKey {
  /** 32 bytes. */
  publicKey: Buffer;
  /** Whether this is the public key. */
  sameAs(key: Uint8Array): boolean;
  /** The signature (64 bytes) of the receipt for a slot and the SHA-256 hash of its content. */
  sign(slot: Uint8Array, contentHash: Uint8Array): Buffer;
}

/** The key of a seed that all nodes of this relay share. */
export function slotKeyOf(seed: Uint8Array, domain: string): SlotKey {
  const privateKey = privateKeyFromRaw(seed);
  const publicKey = Buffer.from(publicKeyOf(seed));
  return {
    publicKey,
    sameAs: (key) => publicKey.equals(key),
    sign(slot, contentHash) {
      const text = slotReceiptText({ domain, slot: encodeHex(slot), contentHash: encodeHex(contentHash) });
      return sign(null, utf8(text), privateKey);
    },
  };
}

export function hashOf(content: Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}
