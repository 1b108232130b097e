// A commit slot is named after the public key of a pair that only members of the group can compute. Knowing the name
// is enough to read the slot, but not to take it.

import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, encodeHex } from "./encodings.js";
import { publicKeyOf, sign } from "./signature.js";
import { slotTakingText } from "./signed-text.js";

/** The key that takes one commit slot; the client's interface of this name describes it. */
export type TakingKey = ReturnType<typeof takingKeyFrom>;

/** The key that a 32-byte seed gives, for a slot of the relay `domain` (in lower case). */
export function takingKeyFrom(seed: Uint8Array, domain: string) {
  const publicKey = publicKeyOf(seed);
  const slot = slotNameOf(publicKey);
  return {
    slot,
    sign(content: Uint8Array) {
      const text = slotTakingText({ domain, slot, contentHash: encodeHex(sha256(content)) });
      return { public_key: encodeHex(publicKey), signature: sign(seed, text) };
    },
  };
}

/** The name of the slot that this key takes: its SHA-256 hash, as hex, or the root of a tree of several such hashes. */
export function slotNameOf(publicKey: Uint8Array, path: readonly Uint8Array[] = []): string {
  return encodeHex(path.reduce(nodeAbove, sha256(publicKey)));
}

/** The node above two others of a tree of hashes. Their order does not matter, so a path needs no directions. */
export function nodeAbove(one: Uint8Array, other: Uint8Array): Uint8Array {
  const [lower, higher] = encodeHex(one) < encodeHex(other) ? [one, other] : [other, one];
  return sha256(concatBytes(lower, higher));
}
