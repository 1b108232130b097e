// Stored records: JSON in UTF-8, with byte strings as `{"$bytes": "<base64>"}`. What others have sent may have a member of that name: it gets one more `$`.

import { decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";

const decoder = new TextDecoder();
const bytesMember = "$bytes";
const escaped = /^\$+\$bytes$/;
const toEscape = /^\$+bytes$/;

export function encodeRecord(value: object): Uint8Array {
  return utf8(
    JSON.stringify(value, function (this: Record<string, unknown>, key, given: unknown) {
      // `given` is what `toJSON` of a Buffer has made of it.
      const own = this[key];
      if (own instanceof Uint8Array) return { [bytesMember]: encodeBase64(own) };
      return renamed(given, toEscape, (name) => `$${name}`);
    }),
  );
}

/** Only for what `encodeRecord` has written. */
export function decodeRecord<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !(bytesMember in value))
      return renamed(value, escaped, (name) => name.slice(1));
    return Uint8Array.from(decodeBase64(value[bytesMember] as string) as Uint8Array);
  }) as T;
}

/** An object with other names of the members that match. */
function renamed(value: unknown, match: RegExp, rename: (name: string) => string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (!Object.keys(value).some((name) => match.test(name))) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [match.test(name) ? rename(name) : name, one]));
}
