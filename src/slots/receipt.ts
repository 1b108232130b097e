import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { privateKeyFromRaw } from "../auth/ed25519-keys.js";
import { encodeHex, utf8 } from "../protocol/encodings.js";
import { slotReceiptText } from "../protocol/signed-text.js";

/** The name of the secret that signs receipts. Without it, the next start makes a new one (after a restore). */
export const slotKeySecret = "slot key";

/** The key of this relay's slots. */
export type SlotKey = ReturnType<typeof slotKeyOf>;

/** The key of a seed that all nodes of this relay share. */
export function slotKeyOf(seed: Uint8Array, domain: string) {
  const privateKey = privateKeyFromRaw(seed);
  const publicKey = rawPublicKeyOf(privateKey);
  return {
    /** 32 bytes. */
    publicKey,
    /** Whether this is the public key. */
    sameAs: (key: Uint8Array): boolean => publicKey.equals(key),
    /** The signature (64 bytes) of the receipt for a slot and the SHA-256 hash of its content. */
    sign(slot: Uint8Array, contentHash: Uint8Array): Buffer {
      const text = slotReceiptText({ domain, slot: encodeHex(slot), contentHash: encodeHex(contentHash) });
      return sign(null, utf8(text), privateKey);
    },
  };
}

/** By Node.js, since JavaScript would first make tables, which takes a tenth of a second at every start. */
function rawPublicKeyOf(privateKey: KeyObject): Buffer {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return Buffer.from(x, "base64url");
}

export function hashOf(content: Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}
