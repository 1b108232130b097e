// The signature that a message carries outside its ciphertext. The relay stores it without verifying it. MLS proves
// inside the ciphertext who wrote a message; an outer signature would name the sender to everyone who has the key.

import { signBytes, verifyBytes } from "../protocol/signature.js";
import { demandBytes, demandNonEmptyBytes, demandOptions, demandString } from "./arguments.js";
import { newSecretKey } from "./keys.js";

const keyBytes = 32;

/**
 * Signs a ciphertext with a new Ed25519 key used for this signature only, so that nothing links it to the sender or to
 * another message.
 */
export async function signOnce(ciphertext: Uint8Array): Promise<Uint8Array> {
  demandNonEmptyBytes(ciphertext, "ciphertext");
  return (await signOncePlatform(ciphertext)) ?? signBytes(newSecretKey(), ciphertext);
}

/** The platform hashes a large ciphertext ten times faster; `undefined` if it has no Ed25519 or no WebCrypto. */
async function signOncePlatform(ciphertext: Uint8Array): Promise<Uint8Array | undefined> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  try {
    const keys = await subtle?.generateKey("Ed25519", false, ["sign", "verify"]);
    return (
      keys &&
      new Uint8Array(await (subtle as SubtleCrypto).sign("Ed25519", keys.privateKey, ciphertext as BufferSource))
    );
  } catch {
    return undefined;
  }
}

/**
 * Signs a ciphertext with an Ed25519 secret key (32 bytes) that recipients know and the relay does not, such as a key
 * that the members of a group derive from its secrets. Never use the device's key or the key of an MLS leaf: the relay
 * stores the first with the device and the second in its key packages, so either would name the sender of each stored
 * message.
 */
export function signCiphertext(secretKey: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  demandBytes(secretKey, "secretKey", keyBytes);
  demandNonEmptyBytes(ciphertext, "ciphertext");
  return signBytes(secretKey, ciphertext);
}

/** Whether a received message was signed by this public key (32 bytes). */
export function verifyCiphertext(
  publicKey: Uint8Array,
  message: { ciphertext: Uint8Array; senderSignature: string },
): boolean {
  demandBytes(publicKey, "publicKey", keyBytes);
  demandOptions(message, "message");
  demandBytes(message.ciphertext, "message.ciphertext");
  demandString(message.senderSignature, "message.senderSignature");
  return verifyBytes(publicKey, message.ciphertext, message.senderSignature);
}
