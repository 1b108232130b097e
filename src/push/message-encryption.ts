import { createCipheriv, createECDH, hkdfSync } from "node:crypto";

// Message encryption for Web Push (RFC 8291), a use of the content coding aes128gcm (RFC 8188).

const curve = "prime256v1";
const tagBytes = 16;
const keyBytes = 16;
const nonceBytes = 12;
const ikmBytes = 32;
const lastRecord = 2;
/** As in the examples of the RFC. A body has one record, which is shorter. */
const recordSize = 4096;

/** The keys of one message. A salt and a key pair must never be used for two messages. */
interface MessageKeys {
  /** 16 bytes. */
  salt: Uint8Array;
  /** The private key of a key pair on P-256, 32 bytes. */
  privateKey: Uint8Array;
}

/**
 * Encrypts one message for the holder of `p256dh` (an uncompressed point) and `auth` (16 bytes). The plaintext is padded to
 * `paddedBytes`, if it is shorter, so that its length tells nothing. Throws if `p256dh` is no point of P-256.
 */
export function encryptMessage(
  plaintext: Uint8Array,
  to: { p256dh: Uint8Array; auth: Uint8Array },
  { salt, privateKey, paddedBytes }: MessageKeys & { paddedBytes: number },
): Buffer {
  const ecdh = createECDH(curve);
  ecdh.setPrivateKey(privateKey);
  const senderKey = ecdh.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), to.p256dh, senderKey]);
  const ikm = hkdf({ ikm: ecdh.computeSecret(to.p256dh), salt: to.auth, info, bytes: ikmBytes });
  return encodeContent(plaintext, { ikm, salt, keyId: senderKey, paddedBytes });
}

/** A body of the content coding aes128gcm (RFC 8188) with one record. */
export function encodeContent(
  plaintext: Uint8Array,
  { ikm, salt, keyId, paddedBytes }: { ikm: Uint8Array; salt: Uint8Array; keyId: Uint8Array; paddedBytes: number },
): Buffer {
  const padding = Math.max(0, paddedBytes - plaintext.length - 1);
  const record = Buffer.concat([plaintext, Buffer.of(lastRecord), Buffer.alloc(padding)]);
  if (record.length + tagBytes > recordSize) throw new RangeError("a message of one record is shorter");
  const key = hkdf({ ikm, salt, info: Buffer.from("Content-Encoding: aes128gcm\0"), bytes: keyBytes });
  const nonce = hkdf({ ikm, salt, info: Buffer.from("Content-Encoding: nonce\0"), bytes: nonceBytes });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  const header = [salt, size, Buffer.of(keyId.length), keyId];
  return Buffer.concat([...header, cipher.update(record), cipher.final(), cipher.getAuthTag()]);
}

/** Whether the bytes are an uncompressed point of P-256. */
export function isPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const ecdh = createECDH(curve);
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

function hkdf(given: { ikm: Uint8Array; salt: Uint8Array; info: Uint8Array; bytes: number }): Buffer {
  return Buffer.from(hkdfSync("sha256", given.ikm, given.salt, given.info, given.bytes));
}
