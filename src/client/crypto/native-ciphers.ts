// Authenticated ciphers of Node.js, with tags of 16 bytes. Browsers have none that does not make the caller wait.

import { builtinModule } from "../runtime/builtin-module.js";

export interface Sealing {
  key: Uint8Array;
  nonce: Uint8Array;
  /** Additional data: authenticated, not encrypted. */
  bound: Uint8Array;
}

export interface Cipher {
  /** The ciphertext with its tag, in parts. */
  encrypt(sealing: Sealing, plaintext: Uint8Array): Uint8Array[];
  /** Throws if key, nonce, additional data or ciphertext are not those that were sealed. */
  decrypt(sealing: Sealing, sealed: Uint8Array): Uint8Array;
}

export const tagBytes = 16;

/** The part of Node's crypto that is used here. The client is compiled without the types of Node.js. */
interface NativeCiphers {
  createCipheriv(name: string, key: Uint8Array, nonce: Uint8Array, options: object): NativeCipher;
  createDecipheriv(name: string, key: Uint8Array, nonce: Uint8Array, options: object): NativeCipher;
  getCiphers(): readonly string[];
}

interface NativeCipher {
  setAAD(bytes: Uint8Array): void;
  setAuthTag(tag: Uint8Array): void;
  getAuthTag(): Uint8Array;
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

/** Undefined in a browser. Not every platform with Node's modules has each cipher. */
export function nativeCipher(name: string): Cipher | undefined {
  const native = builtinModule<NativeCiphers>("node:crypto");
  if (native?.getCiphers().includes(name) !== true) return undefined;
  const options = { authTagLength: tagBytes };
  return {
    encrypt({ key, nonce, bound }, plaintext) {
      const cipher = native.createCipheriv(name, key, nonce, options);
      cipher.setAAD(bound);
      const ciphertext = cipher.update(plaintext);
      cipher.final();
      return [ciphertext, cipher.getAuthTag()];
    },
    decrypt({ key, nonce, bound }, sealed) {
      const end = sealed.length - tagBytes;
      if (end < 0) throw new Error("the ciphertext is too short");
      const decipher = native.createDecipheriv(name, key, nonce, options);
      decipher.setAAD(bound);
      decipher.setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(0, end));
      decipher.final();
      return plaintext;
    },
  };
}
