// Bodies of JSON with bytes behind it: the length of the JSON in four bytes, most significant first, then the JSON, then the
// bytes. Ciphertexts in them need no base64.

const lengthBytes = 4;

/** The body of this JSON and these bytes. */
export function joinAttached(json: string, attached: Buffer): Buffer {
  const length = Buffer.byteLength(json);
  const body = Buffer.allocUnsafe(lengthBytes + length + attached.length);
  body.writeUInt32BE(length, 0);
  body.write(json, lengthBytes, "utf8");
  attached.copy(body, lengthBytes + length);
  return body;
}

/** The parts of a body, which they share the memory of. Undefined if it is too short for the length that it states. */
export function splitAttached(body: Buffer): { json: Buffer; attached: Buffer } | undefined {
  if (body.length < lengthBytes) return undefined;
  const end = lengthBytes + body.readUInt32BE(0);
  if (end > body.length) return undefined;
  return { json: body.subarray(lengthBytes, end), attached: body.subarray(end) };
}
