import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, decodeBase64, decodeHex, encodeHex, equalBytes, utf8 } from "./encodings.js";
import { publicKeyBytes } from "./identifiers.js";

ed25519.hashes.sha512 = sha512;

const signatureBytes = 64;
const halfBytes = 32;
const base64Characters = 88;

/**
 * Whether `signatureText`, in either form of a sender's signature (128 hex digits or padded base64), is the Ed25519
 * signature of `bytes` by `publicKey` (32 raw bytes). Strict, as OpenSSL is with a relay's signatures: the encodings of key
 * and signature must be canonical, the equation of RFC 8032 must hold without the cofactor, and a key of small order, under
 * which anybody can sign anything, is refused. Never throws: a malformed key or signature does not verify. This is for
 * clients, in browsers too; a server has auth/signature-check.ts.
 */
export function verifyBytes(publicKey: Uint8Array, bytes: Uint8Array, signatureText: string): boolean {
  const signature = signatureIn(signatureText);
  return signature !== undefined && isSignedBy(publicKey, bytes, signature);
}

/** The 64 bytes that a text has in one of the two forms; undefined if it has none of them. */
export function signatureIn(text: string): Uint8Array | undefined {
  if (!isSignatureForm(text)) return undefined;
  return text.length === 2 * signatureBytes ? decodeHex(text) : decodeBase64(text);
}

/** The Ed25519 signature of `text` (as UTF-8) in hex, by a 32-byte RFC 8032 secret key. */
export function sign(secretKey: Uint8Array, text: string): string {
  return encodeHex(signBytes(secretKey, utf8(text)));
}

/** The Ed25519 signature (64 bytes) of `bytes` by a 32-byte RFC 8032 secret key. */
export function signBytes(secretKey: Uint8Array, bytes: Uint8Array): Uint8Array {
  return ed25519.sign(bytes, secretKey);
}

/** The public key (32 raw bytes) of a 32-byte RFC 8032 secret key. */
export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(secretKey);
}

/** Whether 32 bytes are the canonical encoding of a point of the curve that is not of small order. */
export function isAcceptableKey(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey, false).isSmallOrder();
  } catch {
    return false;
  }
}

/**
 * Whether text has the form of a sender's signature: 64 bytes as 128 hex digits or as padded base64. The server never
 * verifies it and hands it on exactly as it came.
 */
export function isSignatureForm(text: string): boolean {
  if (text.length === 2 * signatureBytes) return decodeHex(text) !== undefined;
  return text.length === base64Characters && decodeBase64(text)?.length === signatureBytes;
}

/** @noble/ed25519 has the equation only with the cofactor, which accepts signatures that other libraries refuse. */
function isSignedBy(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== publicKeyBytes || !isAcceptableKey(publicKey)) return false;
  const [r, s] = [signature.subarray(0, halfBytes), numberOf(signature.subarray(halfBytes))];
  const { n: order } = ed25519.Point.CURVE();
  if (s >= order) return false;
  const k = numberOf(sha512(concatBytes(r, publicKey, bytes))) % order;
  const key = ed25519.Point.fromBytes(publicKey, false);
  const expected = ed25519.Point.BASE.multiply(s, false).subtract(key.multiply(k, false));
  return equalBytes(expected.toBytes(), r);
}

/** Little-endian. */
export function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(bytes.toReversed())}`);
}
