// JSON bodies followed by bytes: the length of the JSON in four bytes, most significant first, then the JSON, then the
// bytes. Ciphertexts sent this way need no base64.

const lengthBytes = 4;

/** Builds a body from the JSON and the bytes. */
export function joinAttached(json: string, attached: Buffer): Buffer {
  const length = Buffer.byteLength(json);
  const body = Buffer.allocUnsafe(lengthBytes + length + attached.length);
  body.writeUInt32BE(length, 0);
  body.write(json, lengthBytes, "utf8");
  attached.copy(body, lengthBytes + length);
  return body;
}

/**
 * Splits a body into its two parts, which share its memory. Undefined if the body is shorter than its stated length.
 */
export function splitAttached(body: Buffer): { json: Buffer; attached: Buffer } | undefined {
  if (body.length < lengthBytes) return undefined;
  const end = lengthBytes + body.readUInt32BE(0);
  if (end > body.length) return undefined;
  return { json: body.subarray(lengthBytes, end), attached: body.subarray(end) };
}
