// The cipher suite of ts-mls with faster functions. Its own ones ask Web Crypto for each hash, key and cipher, which hands every call to another
// thread and imports the key again: for the few bytes of a message that takes ten times as long as the work. JavaScript hashes them sooner, and
// Node.js encrypts and signs without another thread. In browsers, the rest stays with Web Crypto, if that takes every X25519 key.

import { CipherSuite, HkdfSha256 } from "@hpke/core";
import { type CiphersuiteImpl, getCiphersuiteFromName, getCiphersuiteImpl } from "ts-mls";
import { makeAead } from "ts-mls/crypto/implementation/default/makeAead.js";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";
import { x25519Kem } from "../../client/crypto/x25519-kem.js";
import { hkdfSha256Expand, hkdfSha256Extract, hmacSha256, sha256 } from "../../client/index.js";
import { builtinModule } from "../../client/runtime/builtin-module.js";
import { withStrictSignatures } from "../judging/keys.js";

export const suiteName = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519";

/** `native: false` is what a browser gets. */
export async function fastSuite({ native = true } = {}): Promise<CiphersuiteImpl> {
  const algorithms = getCiphersuiteFromName(suiteName);
  const suite = await getCiphersuiteImpl(algorithms);
  const [aead, aeadOfHpke] = await makeAead(algorithms.hpke.aead);
  const encryption = new CipherSuite({ kem: await x25519Kem(), kdf: new HkdfSha256(), aead: aeadOfHpke });
  const hpke = await makeGenericHpke(algorithms.hpke, aead, encryption);
  const portable = { ...suite, kdf, hash, hpke };
  if (!native || builtinModule("node:crypto") === undefined) return strict(portable);
  // Browsers do not load it.
  const { withNative } = await import("./ts-mls-native-crypto.js");
  return strict(withNative(portable));
}

function strict(suite: CiphersuiteImpl): CiphersuiteImpl {
  return { ...suite, signature: withStrictSignatures(suite.signature) };
}

const hash: CiphersuiteImpl["hash"] = {
  digest: async (data) => sha256(data),
  mac: async (key, data) => hmacSha256(key, data),
  verifyMac: async (key, mac, data) => isSame(hmacSha256(key, data), mac),
};

const digestBytes = 32;

const kdf: CiphersuiteImpl["kdf"] = {
  size: digestBytes,
  extract: async (salt, key) => hkdfSha256Extract(salt, key),
  expand: async (key, info, length) => hkdfSha256Expand(key, info, length),
};

/** In a time that does not tell where they differ. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}
