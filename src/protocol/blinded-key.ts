// Keys for one occasion, made from a long-lived Ed25519 key and a secret that a group has (as BIP 32 derives public keys). Anyone with the secret and the public key
// knows the blinded public key; only the holder of the secret key can sign by it; and without the secret, nothing links the two.

import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8 } from "./encodings.js";
import { numberOf } from "./signature.js";

const label = utf8("mls-relay blinded key 1\n");
const { BASE, CURVE } = ed25519.Point;
const { n: order } = CURVE();
const scalarBytes = 32;

/** Undefined if `publicKey` is no key. */
export function blindedKeyOf(publicKey: Uint8Array, secret: Uint8Array): Uint8Array | undefined {
  try {
    const blinding = BASE.multiply(blindingOf(publicKey, secret));
    return ed25519.Point.fromBytes(publicKey, false).add(blinding).toBytes();
  } catch {
    return undefined;
  }
}

/** An Ed25519 signature by the blinded key of a 32-byte RFC 8032 secret key. */
export function signBlinded(secretKey: Uint8Array, secret: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { prefix, scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(secretKey);
  const blinding = blindingOf(pointBytes, secret);
  const own = (scalar + blinding) % order;
  const publicKey = BASE.multiply(own).toBytes();
  const nonce = numberOf(sha512(concatBytes(label, prefix, secret, bytes))) % order;
  const point = BASE.multiply(nonce).toBytes();
  const challenge = numberOf(sha512(concatBytes(point, publicKey, bytes)));
  return concatBytes(point, bytesOf((nonce + challenge * own) % order));
}

function blindingOf(publicKey: Uint8Array, secret: Uint8Array): bigint {
  return numberOf(sha512(concatBytes(label, secret, publicKey))) % order;
}

/** Little-endian. */
function bytesOf(scalar: bigint): Uint8Array {
  return Uint8Array.from({ length: scalarBytes }, (_, at) => Number((scalar >> BigInt(8 * at)) & 255n));
}
