// X25519 and AES of Node.js for HPKE. Web Crypto hands each key and each message to another thread, which takes several times as long as the work.

import type { AeadEncryptionContext, AeadInterface, KemInterface } from "@hpke/core";
import type { Cipher } from "./native-ciphers.js";
import type { NativeHpkeParts } from "./native-hpke-parts.js";
import type { NativeKey, NativeKeys } from "./native-keys.js";
import type { Bytes, SynchronousHkdf } from "./synchronous-hkdf.js";
import type { Primitives } from "./x25519-dhkem.js";

interface NativeX25519 extends NativeKeys {
  diffieHellman(keys: { privateKey: NativeKey; publicKey: NativeKey }): Uint8Array;
}

const keyBytes = 32;
const nothing = new Uint8Array();

let isUsable: boolean | undefined;

/** These functions over the parts of the client that they share with what is always loaded. */
export function nativeHpkeWith({
  Aes128Gcm,
  builtinModule,
  bufferOf,
  bytesIn,
  bytesOf,
  concatBytes,
  equalBytes,
  nativeCipher,
  privateKeyFrom,
  publicKeyFrom,
  utf8,
  X25519Dhkem,
}: NativeHpkeParts) {
  /** Undefined if this platform lacks one of these functions, as others than Node.js may. */
  function nativeX25519Kem(): KemInterface | undefined {
    const native = builtinModule<NativeX25519>("node:crypto");
    if (native === undefined) return undefined;
    isUsable ??= works(native);
    if (!isUsable) return undefined;
    return new X25519Dhkem((hkdf) => primitivesOf(native, hkdf));
  }

  /** Other platforms with this module may lack a function, or read a private key in another way. */
  function works(native: NativeX25519): boolean {
    try {
      const secretKeys = [1, 2].map((byte) => new Uint8Array(keyBytes).fill(byte));
      const [one, other] = secretKeys.map((key) => privateKeyFrom(native, "X25519", key)) as [NativeKey, NativeKey];
      const agree = (privateKey: NativeKey, partner: NativeKey) => {
        const publicKey = publicKeyFrom(native, "X25519", bytesIn(native.createPublicKey(partner)).public);
        return native.diffieHellman({ privateKey, publicKey });
      };
      // With a public key that it has not worked out itself, the two would differ.
      return equalBytes(agree(one, other), agree(other, one));
    } catch {
      return false;
    }
  }

  /** HPKE only hands keys from one of these functions to another, so they need not be of Web Crypto. */
  function primitivesOf(native: NativeX25519, hkdf: SynchronousHkdf): Primitives {
    const privateKeyOf = (bytes: Uint8Array) => asCryptoKey(privateKeyFrom(native, "X25519", demandKey(bytes)));
    const publicKeyOf = (bytes: Uint8Array) => asCryptoKey(publicKeyFrom(native, "X25519", demandKey(bytes)));
    const publicKeyFor = (key: CryptoKey) => asCryptoKey(native.createPublicKey(asNative(key)));
    return {
      serializePublicKey: async (key) => bufferOf(bytesIn(asNative(key)).public),
      deserializePublicKey: async (bytes) => publicKeyOf(bytesOf(bytes)),
      serializePrivateKey: async (key) => bufferOf(bytesIn(asNative(key)).secret),
      deserializePrivateKey: async (bytes) => privateKeyOf(bytesOf(bytes)),
      async importKey() {
        throw new Error("this key has to be deserialized");
      },
      async generateKeyPair() {
        // Node.js may wait for itself for ever if a key of `generateKeyPairSync` is exported while the garbage of its generation is collected.
        const privateKey = privateKeyOf(globalThis.crypto.getRandomValues(new Uint8Array(keyBytes)));
        return { privateKey, publicKey: publicKeyFor(privateKey) };
      },
      // RFC 9180, section 7.1.3.
      async deriveKeyPair(ikm) {
        const key = await hkdf.labeledExtract(nothing, utf8("dkp_prk"), bytesOf(ikm));
        const secret = await hkdf.labeledExpand(key, utf8("sk"), nothing, keyBytes);
        const privateKey = privateKeyOf(new Uint8Array(secret));
        return { privateKey, publicKey: publicKeyFor(privateKey) };
      },
      derivePublicKey: async (key) => publicKeyFor(key),
      dh: async (privateKey, publicKey) =>
        bufferOf(native.diffieHellman({ privateKey: asNative(privateKey), publicKey: asNative(publicKey) })),
    };
  }

  /** Undefined if this platform lacks it. */
  function nativeAes128Gcm(): AeadInterface | undefined {
    const cipher = nativeCipher("aes-128-gcm");
    return cipher && new NativeAes128Gcm(cipher);
  }

  class NativeAes128Gcm extends Aes128Gcm {
    readonly #cipher: Cipher;

    constructor(cipher: Cipher) {
      super();
      this.#cipher = cipher;
    }

    override createEncryptionContext(given: Bytes): AeadEncryptionContext {
      const key = new Uint8Array(bytesOf(given));
      const sealing = (nonce: Bytes, bound: Bytes) => ({ key, nonce: bytesOf(nonce), bound: bytesOf(bound) });
      return {
        seal: async (nonce, data, bound) =>
          bufferOf(concatBytes(...this.#cipher.encrypt(sealing(nonce, bound), bytesOf(data)))),
        open: async (nonce, data, bound) => bufferOf(this.#cipher.decrypt(sealing(nonce, bound), bytesOf(data))),
      };
    }
  }

  return { nativeAes128Gcm, nativeX25519Kem };
}

function demandKey(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== keyBytes) throw new Error("the key has another length");
  return bytes;
}

const asCryptoKey = (key: NativeKey): CryptoKey => key as unknown as CryptoKey;
const asNative = (key: CryptoKey): NativeKey => key as unknown as NativeKey;
