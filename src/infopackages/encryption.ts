import { createCipheriv } from "node:crypto";
import type { Random } from "../platform/random.js";
import { concatBytes, encodeHex, utf8 } from "../protocol/encodings.js";

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts JSON with ChaCha20-Poly1305 (RFC 8439) under a random key and nonce. The answer is nonce, ciphertext and tag
 * in one, and the key in hex, of which nothing is kept here.
 */
export function encryptContent(content: object, random: Random): { ciphertext: Uint8Array; key: string } {
  const [key, nonce] = [random.bytes(keyBytes), random.bytes(nonceBytes)];
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: tagBytes });
  const body = cipher.update(utf8(JSON.stringify(content)));
  cipher.final();
  const encrypted = { ciphertext: concatBytes(nonce, body, cipher.getAuthTag()), key: encodeHex(key) };
  key.fill(0);
  return encrypted;
}
