// The keys by which a device seals a request to members: made of an invitation's public key, of the secret that two linked devices share, or of an epoch's door, which a
// member that has lost the group still knows.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { type EpochKeys, type Exporter, epochKeysOf } from "../../client/index.js";
import { concatBytes, encodeHex, utf8 } from "../../protocol/encodings.js";

const info = "mls-relay groups door";
const derived = new Map<string, Promise<EpochKeys>>();
const maxDerived = 10_000;

/** The keys by which requests with this secret are sealed. */
export function doorKeysOf(secret: Uint8Array): Promise<EpochKeys> {
  const name = encodeHex(secret);
  let keys = derived.get(name);
  if (keys === undefined) {
    if (derived.size >= maxDerived) derived.clear();
    keys = epochKeysOf((label) => derive(secret, `${info} ${label}`));
    derived.set(name, keys);
  }
  return keys;
}

/** HKDF-SHA-256 without salt, of one block. Web Crypto hands each of its steps to another thread, which takes ten times as long. */
function derive(secret: Uint8Array, label: string): Uint8Array {
  const extracted = hmac(sha256, new Uint8Array(sha256.outputLen), secret);
  return hmac(sha256, extracted, concatBytes(utf8(label), Uint8Array.of(1)));
}

/** The secret of an epoch's door: who was removed before does not have it. */
export async function doorOf(exporter: Exporter): Promise<Uint8Array> {
  return exporter("mls-relay groups door", new Uint8Array(), 32);
}
