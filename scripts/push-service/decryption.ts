import { createDecipheriv, createPublicKey, type ECDH, hkdfSync, verify } from "node:crypto";

// The receiving side of RFC 8188, 8291 and 8292, written apart from the relay's code.

/** Decrypts a push message of one record; throws unless it was made for these keys. The padding is returned as well. */
export function decryptMessage(
  body: Buffer,
  { ecdh, auth }: { ecdh: ECDH; auth: Buffer },
): { plaintext: Buffer; recordBytes: number } {
  const { salt, keyId } = readHeader(body);
  const info = Buffer.concat([Buffer.from("WebPush: info\0", "latin1"), ecdh.getPublicKey(), keyId]);
  const ikm = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(keyId), auth, info, 32));
  return decodeContent(body, ikm, salt);
}

/** The content coding aes128gcm with one record. */
export function decodeContent(body: Buffer, ikm: Uint8Array, salt = readHeader(body).salt) {
  const { recordSize, headerBytes } = readHeader(body);
  const record = body.subarray(headerBytes);
  if (record.length > recordSize) throw new Error("there are several records");
  const derive = (label: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", ikm, salt, Buffer.from(`Content-Encoding: ${label}\0`, "latin1"), bytes));
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  let end = padded.length - 1;
  while (padded[end] === 0) end -= 1;
  if (padded[end] !== 2) throw new Error("the last record has no delimiter");
  return { plaintext: padded.subarray(0, end), recordBytes: padded.length };
}

function readHeader(body: Buffer) {
  const idBytes = body.readUInt8(20);
  return {
    salt: body.subarray(0, 16),
    recordSize: body.readUInt32BE(16),
    keyId: body.subarray(21, 21 + idBytes),
    headerBytes: 21 + idBytes,
  };
}

/** The claims of a VAPID header (RFC 8292) that is signed with this key; throws if it is not. */
export function checkVapid(header: string | undefined, key: Buffer): { aud: string; exp: number; sub?: string } {
  const [, token = "", shown = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header ?? "") ?? [];
  if (!Buffer.from(shown, "base64url").equals(key)) throw new Error("the header has another key");
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { typ, alg } = parse(head) as { typ?: string; alg?: string };
  if (typ !== "JWT" || alg !== "ES256") throw new Error("the token is no JWT by ES256");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: key.subarray(1, 33).toString("base64url"),
    y: key.subarray(33).toString("base64url"),
  };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw new Error("the token is not signed with this key");
  return parse(claims) as { aud: string; exp: number; sub?: string };
}

function parse(text: string): unknown {
  return JSON.parse(Buffer.from(text, "base64url").toString());
}
