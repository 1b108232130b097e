import type { AnnouncedPrefix } from "../devices/service.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { parsePrefix, spellingOfPrefix } from "../protocol/identifiers.js";

/** Parses prefixes, each with its spelling. Throws INVALID_ADDRESS, or INVALID_REQUEST for two spellings of one prefix. */
export function readPrefixes(texts: readonly string[]): AnnouncedPrefix[] {
  const prefixes = texts.map(readPrefix);
  if (new Set(prefixes.map(({ prefix }) => prefix)).size < prefixes.length) {
    throw invalidMember("delivery_address_prefixes", "must not name a prefix twice");
  }
  return prefixes;
}

/** Throws INVALID_ADDRESS. */
export function readPrefix(text: string): AnnouncedPrefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new RelayError("INVALID_ADDRESS", "a prefix must be a UUID or 32 hex characters");
  return { prefix, spelling: spellingOfPrefix(text) };
}
