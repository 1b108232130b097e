// ChaCha20-Poly1305 (RFC 8439). Node.js has it in half the time that JavaScript needs; browsers do not have it.

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { builtinModule } from "./builtin-module.js";

interface Sealing {
  key: Uint8Array;
  nonce: Uint8Array;
  /** Additional data: authenticated, not encrypted. */
  bound: Uint8Array;
}

/** The ciphertext with its tag, in parts. */
export function encrypt({ key, nonce, bound }: Sealing, plaintext: Uint8Array): Uint8Array[] {
  const native = nativeCiphers();
  if (native === undefined) return [chacha20poly1305(key, nonce, bound).encrypt(plaintext)];
  const cipher = native.createCipheriv(name, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound);
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return [ciphertext, cipher.getAuthTag()];
}

/** Undefined if key, nonce, additional data or ciphertext are not those that were sealed. */
export function decrypt({ key, nonce, bound }: Sealing, sealed: Uint8Array): Uint8Array | undefined {
  const native = nativeCiphers();
  const end = sealed.length - tagBytes;
  if (end < 0) return undefined;
  try {
    if (native === undefined) return chacha20poly1305(key, nonce, bound).decrypt(sealed);
    const decipher = native.createDecipheriv(name, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(bound);
    decipher.setAuthTag(sealed.subarray(end));
    const plaintext = decipher.update(sealed.subarray(0, end));
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}

const name = "chacha20-poly1305";
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

let ciphers: NativeCiphers | null | undefined;

/** Not every platform with Node's modules has this cipher. */
function nativeCiphers(): NativeCiphers | undefined {
  if (ciphers === undefined) {
    const found = builtinModule<NativeCiphers>("node:crypto");
    ciphers = found?.getCiphers().includes(name) === true ? found : null;
  }
  return ciphers ?? undefined;
}
