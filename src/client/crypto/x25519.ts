// X25519 (RFC 7748), also with the keys that belong to Ed25519 keys. The curves' whole module would be a tenth of an application's bundle.

import { pow } from "@noble/curves/abstract/modular.js";
import { montgomery } from "@noble/curves/abstract/montgomery.js";
import { etc, Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { decodeHex } from "../../protocol/encodings.js";

const keyBytes = 32;
const prime = 2n ** 255n - 19n;

export const x25519 = montgomery({
  P: prime,
  type: "x25519",
  powPminus2: (x) => pow(x, prime - 2n, prime),
  adjustScalarBytes: clamp,
});

/** RFC 7748, section 5. */
function clamp(scalar: Uint8Array): Uint8Array {
  scalar[0] = (scalar[0] as number) & 0b1111_1000;
  scalar[31] = ((scalar[31] as number) & 0b0111_1111) | 0b0100_0000;
  return scalar;
}

/** The X25519 public key of an Ed25519 public key (RFC 7748, section 4.1). Throws if there is none. */
export function x25519KeyOf(ed25519Key: Uint8Array): Uint8Array {
  const { y } = Point.fromBytes(ed25519Key).toAffine();
  const u = etc.mod((1n + y) * etc.invert(etc.mod(1n - y, prime), prime), prime);
  const bigEndian = decodeHex(u.toString(16).padStart(2 * keyBytes, "0")) as Uint8Array;
  return Uint8Array.from(bigEndian).reverse();
}

/** The X25519 secret key of an Ed25519 secret key (RFC 8032, section 5.1.5). */
export function x25519SecretOf(ed25519Secret: Uint8Array): Uint8Array {
  return clamp(sha512(ed25519Secret)).slice(0, keyBytes);
}
