import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from "node:crypto";

/** The public key as a JSON Web Key (RFC 8037), as it is published. */
export interface PublicJwk {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  kid: string;
  alg: "EdDSA";
  use: "sig";
}

// The fixed bytes around a raw key in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410, section 7 and 4).
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");

/**
 * A new key pair as raw bytes: 32 of the public key, 32 of the private one. Node.js may wait for itself for ever if a key of `generateKeyPairSync` is
 * exported while the garbage of its generation is collected.
 */
export function generateRawKeyPair(): { publicKey: Buffer; privateKey: Buffer } {
  const privateKey = randomBytes(32);
  const exported = createPublicKey(privateKeyFromRaw(privateKey)).export({ format: "der", type: "spki" });
  return { publicKey: exported.subarray(spkiPrefix.length), privateKey };
}

/** A new key pair, and the id that tokens name it by. A pair is discarded if a command would take its id for an option. */
export function generateSigningKey(): { kid: string; publicKey: Buffer; privateKey: Buffer } {
  for (;;) {
    const pair = generateRawKeyPair();
    const kid = thumbprint(pair.publicKey);
    if (!kid.startsWith("-")) return { kid, ...pair };
  }
}

export function privateKeyFromRaw(raw: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, raw]), format: "der", type: "pkcs8" });
}

/** Read as a JSON Web Key: OpenSSL 3.0 takes ten times as long for a SubjectPublicKeyInfo. */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** The key's thumbprint (RFC 7638), by which tokens name it. */
export function thumbprint(publicKey: Uint8Array): string {
  const x = Buffer.from(publicKey).toString("base64url");
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
}

export function publicJwk(publicKey: Uint8Array): PublicJwk {
  const x = Buffer.from(publicKey).toString("base64url");
  return { kty: "OKP", crv: "Ed25519", x, kid: thumbprint(publicKey), alg: "EdDSA", use: "sig" };
}
