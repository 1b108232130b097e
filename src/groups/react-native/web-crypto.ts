// The part of Web Crypto that the packages use, in JavaScript. A native one (`reactNativeRuntime({ subtle })`) takes its place.

import { gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, encodeHex } from "../../protocol/encodings.js";
import { publicKeyOf, signBytes, verifyBytes } from "../../protocol/signature.js";

type Bytes = Uint8Array | ArrayBuffer;
type Algorithm = string | { name: string; hash?: string | { name: string }; [name: string]: unknown };

interface Key {
  algorithm: { name: string; hash: string };
  bytes: Uint8Array;
  isPrivate: boolean;
}

const hashes = { "SHA-256": sha256, "SHA-384": sha384, "SHA-512": sha512 };
/** Before an Ed25519 secret key in PKCS #8 (RFC 8410). */
const pkcs8Head = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);
const secretBytes = 32;
const supported = ["Ed25519", "AES-GCM", "HMAC", "HKDF"];

let randomBytes: ((length: number) => Uint8Array) | undefined;
let native: SubtleCrypto | undefined;

/** Called by `reactNativeRuntime`. */
export function useSources(sources: {
  randomBytes: (length: number) => Uint8Array;
  subtle?: SubtleCrypto | undefined;
}) {
  randomBytes = sources.randomBytes;
  native = sources.subtle;
}

export function randomValues<T extends Uint8Array>(array: T): T {
  if (randomBytes === undefined) throw new Error("call reactNativeRuntime first: it needs random bytes");
  const bytes = randomBytes(array.length);
  if (bytes.length !== array.length) throw new Error("randomBytes has made another number of bytes");
  array.set(bytes);
  return array;
}

const portable = {
  async digest(algorithm: Algorithm, data: Bytes) {
    return bufferOf(hashOf(algorithm)(bytesOf(data)));
  },

  async importKey(format: string, data: Bytes, algorithm: Algorithm): Promise<Key> {
    const { name, hash } = described(algorithm);
    const bytes = bytesOf(data).slice();
    if (!supported.includes(name)) throw notSupported(name);
    if (format === "raw") return { algorithm: { name, hash }, bytes, isPrivate: name !== "Ed25519" };
    const isEd25519 = format === "pkcs8" && name === "Ed25519" && bytes.length === pkcs8Head.length + secretBytes;
    if (!isEd25519) throw notSupported(`${format} for ${name}`);
    return { algorithm: { name, hash }, bytes: bytes.slice(pkcs8Head.length), isPrivate: true };
  },

  async exportKey(format: string, { bytes, isPrivate }: Key) {
    if (format === "raw") return bufferOf(bytes);
    if (format !== "pkcs8" || !isPrivate) throw notSupported(format);
    return bufferOf(concatBytes(pkcs8Head, bytes));
  },

  async generateKey(algorithm: Algorithm): Promise<{ privateKey: Key; publicKey: Key }> {
    const { name, hash } = described(algorithm);
    if (name !== "Ed25519") throw notSupported(name);
    const secret = randomValues(new Uint8Array(secretBytes));
    return {
      privateKey: { algorithm: { name, hash }, bytes: secret, isPrivate: true },
      publicKey: { algorithm: { name, hash }, bytes: publicKeyOf(secret), isPrivate: false },
    };
  },

  async sign(_: Algorithm, { algorithm, bytes }: Key, data: Bytes) {
    if (algorithm.name === "HMAC") return bufferOf(hmac(hashOf(algorithm.hash), bytes, bytesOf(data)));
    return bufferOf(signBytes(bytes, bytesOf(data)));
  },

  async verify(...[, { bytes }, signature, data]: [Algorithm, Key, Bytes, Bytes]): Promise<boolean> {
    return verifyBytes(bytes, bytesOf(data), encodeHex(bytesOf(signature)));
  },

  async deriveBits(algorithm: Algorithm, { bytes }: Key, bits: number) {
    const { salt, info } = algorithm as unknown as { salt: Bytes; info: Bytes };
    return bufferOf(hkdf(hashOf(algorithm), bytes, bytesOf(salt), bytesOf(info), bits / 8));
  },

  async encrypt(algorithm: Algorithm, { bytes }: Key, data: Bytes) {
    return bufferOf(cipherOf(algorithm, bytes).encrypt(bytesOf(data)));
  },

  async decrypt(algorithm: Algorithm, { bytes }: Key, data: Bytes) {
    return bufferOf(cipherOf(algorithm, bytes).decrypt(bytesOf(data)));
  },
};

export const subtle = (): SubtleCrypto => native ?? (portable as unknown as SubtleCrypto);

function cipherOf(algorithm: Algorithm, key: Uint8Array) {
  const { iv, additionalData } = algorithm as unknown as { iv: Bytes; additionalData?: Bytes };
  return gcm(key, bytesOf(iv), additionalData && bytesOf(additionalData));
}

function described(algorithm: Algorithm): { name: string; hash: string } {
  if (typeof algorithm === "string") return { name: algorithm, hash: "" };
  const { name, hash = "" } = algorithm;
  return { name, hash: typeof hash === "string" ? hash : hash.name };
}

function hashOf(algorithm: Algorithm) {
  const { name, hash } = described(algorithm);
  const found = hashes[(hash || name) as keyof typeof hashes];
  if (found === undefined) throw notSupported(hash || name);
  return found;
}

function notSupported(what: string): Error {
  return Object.assign(new Error(`there is no ${what}`), { name: "NotSupportedError" });
}

function bytesOf(data: Bytes): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array(data);
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
