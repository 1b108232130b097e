// The keys with which a device seals a request to members. They are derived from an invitation's public key, from the secret that two linked devices
// share, or from an epoch's door, which a member that has lost the group still knows.

import { type EpochKeys, type Exporter, epochKeysOf, hkdfSha256Expand, hkdfSha256Extract } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";

const info = "mls-relay groups door";
const derived = new Map<string, Promise<EpochKeys>>();
const maxDerived = 10_000;
const keyBytes = 32;

/** The keys with which requests with this secret are sealed. */
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

/** HKDF-SHA-256 without salt. Web Crypto hands each step to another thread, which takes ten times as long. */
function derive(secret: Uint8Array, label: string): Uint8Array {
  return hkdfSha256Expand(hkdfSha256Extract(new Uint8Array(), secret), utf8(label), keyBytes);
}

/** The secret of an epoch's door. Users who were removed before do not have it. */
export async function doorOf(exporter: Exporter): Promise<Uint8Array> {
  return exporter("mls-relay groups door", new Uint8Array(), keyBytes);
}
