import type { AnnouncedPrefix } from "../devices/service.js";
import { decodeHex, encodeHex, equalBytes } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { deviceIdOf, parsePrefix, spellingOfPrefix } from "../protocol/identifiers.js";
import { invalidMember } from "../protocol/signed-request.js";
import type { PrefixRequest } from "./request.js";

/**
 * The key of a device that is not known here: the one it sends, which its id must stand for, or else the id itself,
 * which in this flow may be the key.
 */
export function keyOf(request: PrefixRequest): Uint8Array {
  const id = decodeHex(request.deviceId) ?? new Uint8Array();
  const { publicKey } = request;
  if (publicKey === undefined || equalBytes(publicKey, id)) return id;
  if (deviceIdOf(publicKey) === encodeHex(id)) return publicKey;
  throw invalidMember("device_id", "device_id must be public_key or Blake3(public_key)");
}

/** The prefixes as bytes, each with the spelling in which it is given out. Two spellings of one are refused. */
export function readPrefixes(texts: readonly string[]): AnnouncedPrefix[] {
  const prefixes = texts.map(readPrefix);
  if (new Set(prefixes.map(({ prefix }) => prefix)).size < prefixes.length) {
    throw invalidMember("delivery_address_prefixes", "no prefix may be there twice");
  }
  return prefixes;
}

export function readPrefix(text: string): AnnouncedPrefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new RelayError("INVALID_ADDRESS", "a prefix is a UUID or 32 hex characters");
  return { prefix, spelling: spellingOfPrefix(text) };
}
