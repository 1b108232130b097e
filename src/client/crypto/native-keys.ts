// Keys of Curve25519 in Node.js, read from JSON Web Keys (RFC 8037): OpenSSL 3.0 reads a private key in PKCS #8 ten times as slowly.

import { decodeBase64, encodeBase64 } from "../../protocol/encodings.js";

/** The part of Node's crypto that is used here. The client is compiled without the types of Node.js. */
export interface NativeKeys {
  createPrivateKey(key: object): NativeKey;
  createPublicKey(key: object): NativeKey;
}

/** Node's `KeyObject`. */
export interface NativeKey {
  export(options: { format: "jwk" }): { d?: string; x: string };
}

type Curve = "Ed25519" | "X25519";

/** Node.js wants a public key as well, which the caller does not know, and does not read it. */
const unread = base64Url(new Uint8Array(32));

export function privateKeyFrom(native: NativeKeys, curve: Curve, secret: Uint8Array): NativeKey {
  return native.createPrivateKey({ format: "jwk", key: { kty: "OKP", crv: curve, d: base64Url(secret), x: unread } });
}

export function publicKeyFrom(native: NativeKeys, curve: Curve, bytes: Uint8Array): NativeKey {
  return native.createPublicKey({ format: "jwk", key: { kty: "OKP", crv: curve, x: base64Url(bytes) } });
}

/** The two keys; the secret one is empty in a public key. */
export function bytesIn(key: NativeKey): { public: Uint8Array; secret: Uint8Array } {
  const { x, d = "" } = key.export({ format: "jwk" });
  return { public: fromBase64Url(x), secret: fromBase64Url(d) };
}

function fromBase64Url(text: string): Uint8Array {
  const padded = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .padEnd(Math.ceil(text.length / 4) * 4, "=");
  return decodeBase64(padded) as Uint8Array;
}

function base64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
