// Stored records: JSON in UTF-8, with byte strings as `{"$bytes": "<base64>"}`.

import { decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";

const decoder = new TextDecoder();
const bytesMember = "$bytes";

export function encodeRecord(value: object): Uint8Array {
  return utf8(
    JSON.stringify(value, function (this: Record<string, unknown>, key, given: unknown) {
      // `given` is what `toJSON` of a Buffer has made of it.
      const own = this[key];
      return own instanceof Uint8Array ? { [bytesMember]: encodeBase64(own) } : given;
    }),
  );
}

/** Only for what `encodeRecord` has written. */
export function decodeRecord<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !(bytesMember in value)) return value;
    return Uint8Array.from(decodeBase64(value[bytesMember] as string) as Uint8Array);
  }) as T;
}
