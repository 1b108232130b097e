// The cipher suite of ts-mls with faster functions. Its own ones ask Web Crypto for each hash, key and cipher, which hands every call to another
// thread and imports the key again: for the few bytes of a message that takes ten times as long as the work. JavaScript hashes them sooner, and
// Node.js encrypts and signs without another thread. In browsers, the rest stays with Web Crypto, if that takes every X25519 key.

import type { CiphersuiteImpl } from "ts-mls";
import { defaultRng } from "ts-mls/crypto/implementation/default/rng.js";
import { hkdfSha256Expand, hkdfSha256Extract, hmacSha256, loaded, sha256 } from "../../client/index.js";
import { builtinModule } from "../../client/runtime/builtin-module.js";
import { concatBytes } from "../../protocol/encodings.js";
import { withStrictSignatures } from "../judging/refused-keys.js";
import type { MessageSuite } from "./ts-mls-native-crypto.js";

export const suiteName = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519";

/** `native: false` is what a browser gets. */
export async function messageSuite({ native = true } = {}): Promise<MessageSuite> {
  // The suite of ts-mls would bring the functions of all its other suites along.
  const portable: MessageSuite = { name: suiteName, rng: defaultRng, signature, kdf, hash, hpke: aead };
  if (!native || builtinModule("node:crypto") === undefined) return strict(portable);
  // Browsers do not load it.
  const { withNative } = await loaded(import("./ts-mls-native-crypto.js"));
  return strict(withNative(portable));
}

/** A private key of 32 bytes (RFC 8032) in the form of PKCS #8 (RFC 8410, section 7). */
const privateKeyHead = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);

/** As in ts-mls, without its other curves: keys that are generated are stored as PKCS #8. */
const signature: CiphersuiteImpl["signature"] = {
  async sign(signKey, message) {
    const { subtle } = globalThis.crypto;
    const pkcs8 = signKey.length === 32 ? concatBytes(privateKeyHead, signKey) : signKey;
    const key = await subtle.importKey("pkcs8", pkcs8 as BufferSource, "Ed25519", false, ["sign"]);
    return new Uint8Array(await subtle.sign("Ed25519", key, message as BufferSource));
  },
  async verify(publicKey, message, signed) {
    const { subtle } = globalThis.crypto;
    const key = await subtle.importKey("raw", publicKey as BufferSource, "Ed25519", false, ["verify"]);
    return subtle.verify("Ed25519", key, signed as BufferSource, message as BufferSource);
  },
  async keygen() {
    for (let attempt = 1; ; attempt++) {
      try {
        return await newKeyPair();
      } catch (problem) {
        if (attempt === maxAttempts) throw problem;
      }
    }
  },
};

/** WebKitGTK fails to make one key in ninety (https://bugs.webkit.org/show_bug.cgi?id=307095). */
const maxAttempts = 10;

async function newKeyPair(): Promise<{ signKey: Uint8Array; publicKey: Uint8Array }> {
  const { subtle } = globalThis.crypto;
  const pair = (await subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const [publicKey, signKey] = await Promise.all([
    subtle.exportKey("raw", pair.publicKey),
    subtle.exportKey("pkcs8", pair.privateKey),
  ]);
  return { signKey: new Uint8Array(signKey), publicKey: new Uint8Array(publicKey) };
}

const aead: MessageSuite["hpke"] = {
  encryptAead: aesGcm("encrypt"),
  decryptAead: aesGcm("decrypt"),
  keyLength: 16,
  nonceLength: 12,
};

/** Hermes does not compile a pattern as the rest parameter of an arrow function. */
function aesGcm(what: "encrypt" | "decrypt"): MessageSuite["hpke"]["encryptAead"] {
  return async (...given) => {
    const [key, nonce, bound = new Uint8Array(), bytes] = given;
    const { subtle } = globalThis.crypto;
    const imported = await subtle.importKey("raw", key as BufferSource, "AES-GCM", false, [what]);
    const parameters = { name: "AES-GCM", iv: nonce as BufferSource, additionalData: bound as BufferSource };
    return new Uint8Array(await subtle[what](parameters, imported, bytes as BufferSource));
  };
}

function strict(suite: MessageSuite): MessageSuite {
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
