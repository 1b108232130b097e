// The signature that a message carries outside its ciphertext. The relay stores it without verifying it. MLS proves
// inside the ciphertext who wrote a message; an outer signature would name the sender to everyone who has the key.

import { concatBytes, decodeHex } from "../../protocol/encodings.js";
import { isAcceptableKey, publicKeyOf, signatureIn, signBytes, verifyBytes } from "../../protocol/signature.js";
import { demandBytes, demandNonEmptyBytes, demandOptions, demandString } from "../runtime/arguments.js";
import type { EpochKeys } from "./envelope.js";
import { newSecretKey } from "./keys.js";
import { nativeEd25519 } from "./native-ed25519.js";

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
  return signPlatform(ciphertext, async (subtle) => {
    const keys = await subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    return (keys as CryptoKeyPair).privateKey;
  });
}

async function signPlatform(
  ciphertext: Uint8Array,
  keyOf: (subtle: SubtleCrypto) => Promise<CryptoKey>,
): Promise<Uint8Array | undefined> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  try {
    return subtle && new Uint8Array(await subtle.sign("Ed25519", await keyOf(subtle), ciphertext as BufferSource));
  } catch {
    return undefined;
  }
}

/** What a 32-byte Ed25519 secret key begins with in PKCS #8 (RFC 8410). */
const pkcs8Head = decodeHex("302e020100300506032b657004220420") as Uint8Array;

/**
 * Signs a ciphertext with the key that all members of an epoch derive. It shows them that a member has sent it, not which one, and
 * nobody else can tell anything from it.
 */
export async function signInEpoch(
  { signatureKey }: Pick<EpochKeys, "signatureKey">,
  ciphertext: Uint8Array,
): Promise<Uint8Array> {
  demandBytes(signatureKey, "keys.signatureKey", keyBytes);
  demandNonEmptyBytes(ciphertext, "ciphertext");
  const native = nativeEd25519();
  if (native !== undefined) return native.sign(pkcs8Of(signatureKey), ciphertext);
  const signature = await signPlatform(ciphertext, (subtle) => imported(subtle, signatureKey));
  return signature ?? signBytes(signatureKey, ciphertext);
}

/** As one array for each key, by which a platform's key is remembered. */
const pkcs8s = new WeakMap<Uint8Array, Uint8Array>();

function pkcs8Of(secretKey: Uint8Array): Uint8Array {
  const pkcs8 = pkcs8s.get(secretKey) ?? concatBytes(pkcs8Head, secretKey);
  pkcs8s.set(secretKey, pkcs8);
  return pkcs8;
}

/** Importing a key takes eight times as long as signing with it. */
const importedKeys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

function imported(subtle: SubtleCrypto, secretKey: Uint8Array): Promise<CryptoKey> {
  const pkcs8 = pkcs8Of(secretKey) as BufferSource;
  const key = importedKeys.get(secretKey) ?? subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  importedKeys.set(secretKey, key);
  return key;
}

/** Deriving one takes longer than verifying with it. */
const publicKeys = new WeakMap<Uint8Array, Uint8Array>();

function publicKeyIn({ signatureKey }: Pick<EpochKeys, "signatureKey">): Uint8Array {
  const publicKey = publicKeys.get(signatureKey) ?? publicKeyOf(signatureKey);
  publicKeys.set(signatureKey, publicKey);
  return publicKey;
}

/** Whether a received message was signed by a member of this epoch. */
export function isSignedInEpoch(
  keys: Pick<EpochKeys, "signatureKey">,
  message: { ciphertext: Uint8Array; senderSignature: string },
): boolean {
  demandBytes(keys.signatureKey, "keys.signatureKey", keyBytes);
  return verifyCiphertext(publicKeyIn(keys), message);
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
  const signature = signatureIn(message.senderSignature);
  if (signature === undefined || !isAcceptableKey(publicKey)) return false;
  // A caller may use its array for another key later.
  const holds = nativeEd25519()?.verify(publicKey.slice(), message.ciphertext, signature);
  return holds ?? verifyBytes(publicKey, message.ciphertext, message.senderSignature);
}
