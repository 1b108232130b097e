// ChaCha20-Poly1305 (RFC 8439). Node.js has it in half the time that JavaScript needs; browsers do not have it.

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { type Cipher, nativeCipher, type Sealing } from "./native-ciphers.js";

export { tagBytes } from "./native-ciphers.js";

/** The ciphertext with its tag, in parts. */
export function encrypt(sealing: Sealing, plaintext: Uint8Array): Uint8Array[] {
  return cipher().encrypt(sealing, plaintext);
}

/** Undefined if key, nonce, additional data or ciphertext are not those that were sealed. */
export function decrypt(sealing: Sealing, sealed: Uint8Array): Uint8Array | undefined {
  try {
    return cipher().decrypt(sealing, sealed);
  } catch {
    return undefined;
  }
}

const portable: Cipher = {
  encrypt: ({ key, nonce, bound }, plaintext) => [chacha20poly1305(key, nonce, bound).encrypt(plaintext)],
  decrypt: ({ key, nonce, bound }, sealed) => chacha20poly1305(key, nonce, bound).decrypt(sealed),
};

let known: Cipher | undefined;

function cipher(): Cipher {
  known ??= nativeCipher("chacha20-poly1305") ?? portable;
  return known;
}
