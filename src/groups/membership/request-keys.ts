// The keys by which a device seals a request to members: made of an invitation's public key, of the secret that two linked devices share, or of an epoch's door, which a
// member that has lost the group still knows.

import { type EpochKeys, type Exporter, epochKeysOf } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";

const info = "mls-relay groups door";
const derived = new Map<string, Promise<EpochKeys>>();
const maxDerived = 10_000;

/** The keys by which requests with this secret are sealed. */
export function doorKeysOf(secret: Uint8Array): Promise<EpochKeys> {
  const name = encodeHex(secret);
  let keys = derived.get(name);
  if (keys === undefined) {
    if (derived.size >= maxDerived) derived.clear();
    keys = epochKeysOf((label, _, length) => derive(secret, `${info} ${label}`, length));
    derived.set(name, keys);
  }
  return keys;
}

async function derive(secret: Uint8Array, label: string, length: number): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", secret as BufferSource, "HKDF", false, ["deriveBits"]);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(label) as BufferSource };
  return new Uint8Array(await subtle.deriveBits(parameters, key, 8 * length));
}

/** The secret of an epoch's door: who was removed before does not have it. */
export async function doorOf(exporter: Exporter): Promise<Uint8Array> {
  return exporter("mls-relay groups door", new Uint8Array(), 32);
}
