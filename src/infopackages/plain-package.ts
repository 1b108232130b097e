import { createCipheriv } from "node:crypto";
import type { Random } from "../platform/random.js";
import { concatBytes, encodeHex, utf8 } from "../protocol/encodings.js";

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts JSON with ChaCha20-Poly1305 (RFC 8439) under a random key and nonce. Returns nonce, ciphertext and tag in one
 * byte string, and the key in hex. The server does not keep the key.
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

const maxNameLength = 100;

/**
 * The name that a QR code shows before the package is opened: the `display_name` of the content, the name of the group of
 * an invite, or the name of the default persona of an identity. Empty if there is none. At most 100 characters.
 */
export function displayNameOf(content: Json): string {
  const persona = defaultPersona(content);
  const candidates = [content["display_name"], content["group_name"], persona["display_name"], persona["name"]];
  const name = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  return typeof name === "string" ? [...name].slice(0, maxNameLength).join("") : "";
}

const maxGroupIdLength = 256;

/** The group that the QR code of an invite names, if the content names it by a text that a code has room for. */
export function groupIdOf(packageType: string, { group_id: groupId }: Json): string | undefined {
  if (packageType !== "group_invite" || typeof groupId !== "string") return undefined;
  return groupId.length <= maxGroupIdLength ? groupId : undefined;
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
