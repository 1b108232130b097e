import { verify } from "node:crypto";
import { decodeHex, utf8 } from "../protocol/encodings.js";
import { isAcceptableKey } from "../protocol/signature.js";
import { publicKeyFromRaw } from "./ed25519-keys.js";

const signatureBytes = 64;

/**
 * Whether `signatureHex` (128 hex digits) is the Ed25519 signature of `text` (as UTF-8) by `publicKey` (32 raw bytes).
 * @noble/ed25519 checks the key: its encoding must be canonical, and a key of small order, under which anybody can
 * sign anything, is refused. OpenSSL checks the signature in a tenth of the time that JavaScript takes: S must be
 * below the group order, R canonical, and the equation of RFC 8032 hold without the cofactor. Never throws.
 */
export function verifySignature(publicKey: Uint8Array, text: string, signatureHex: string): boolean {
  const signature = decodeHex(signatureHex, signatureBytes);
  if (signature === undefined || !isAcceptableKey(publicKey)) return false;
  return verify(null, utf8(text), publicKeyFromRaw(publicKey), signature);
}
