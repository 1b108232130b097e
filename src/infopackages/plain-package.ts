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

type Json = Readonly<Record<string, unknown>>;

const longestName = 100;

/**
 * What a QR code says of a package before it is opened: the content's own `display_name`, the name of the group that it
 * invites to, or the name of the default persona of an identity; else nothing. At most 100 characters.
 */
export function displayNameOf(content: Json): string {
  const persona = defaultPersona(content);
  const candidates = [content["display_name"], content["group_name"], persona["display_name"], persona["name"]];
  const name = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  return typeof name === "string" ? [...name].slice(0, longestName).join("") : "";
}

function defaultPersona(content: Json): Json {
  const { default_persona: id, personas } = content;
  if (!isObject(personas) || typeof id !== "string" || !Object.hasOwn(personas, id)) return {};
  const persona = personas[id];
  return isObject(persona) ? persona : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
