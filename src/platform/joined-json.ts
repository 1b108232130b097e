import { kibibyte } from "../protocol/units.js";

// JSON.stringify copies every string, and writing the JSON to a socket copies it again. Here long base64 is written
// straight into the bytes that are sent, so that a ciphertext is copied twice in all: into base64, and into these bytes.

/** Shorter base64 is left to JSON.stringify: joining it would save a microsecond or two. */
export const joinedLength = kibibyte;

/**
 * The bytes of a JSON text with base64 in its empty members of one name. `texts` has one text for each member of this
 * name, in order; an empty text leaves the member as it is.
 */
export function joinJson(json: string, name: string, texts: readonly string[]): Buffer {
  const length = texts.reduce((sum, text) => sum + text.length, Buffer.byteLength(json));
  const joined = Buffer.allocUnsafe(length);
  // No value can look like the name of the member, because quotation marks within values are escaped.
  const before = `"${name}":"`;
  let [from, to, at] = [0, 0, 0];
  for (const text of texts) {
    to = json.indexOf(before, to) + before.length;
    if (text === "") continue;
    at += joined.write(json.slice(from, to), at);
    at += joined.write(text, at, "latin1");
    from = to;
  }
  joined.write(json.slice(from), at);
  return joined;
}
