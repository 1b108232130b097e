import { type KeyObject, X509Certificate } from "node:crypto";
import { type CertificateFields, type CertificateKey, readFields } from "./certificate-fields.js";

/** A certificate as this room looks at it: its fields, and OpenSSL's view of it for names and signatures. */
export interface Certificate extends CertificateFields {
  readonly raw: Buffer;
  /** Tells certificates apart: SHA-256 over the whole. */
  readonly id: string;
  readonly node: X509Certificate;
  readonly publicKey: KeyObject;
}

/** Reads a certificate in DER. Undefined for what is none, or has a key that cannot be accepted. */
export function readCertificate(raw: Uint8Array): Certificate | undefined {
  const read = parseCertificate(raw);
  return typeof read === "string" ? undefined : read;
}

/**
 * Reads a certificate in DER; a text says why it is not one that could be accepted. The key is looked at before OpenSSL
 * gets to see it, since with a key of a stranger's choice even reading can be slow.
 */
export function parseCertificate(raw: Uint8Array): Certificate | string {
  try {
    const fields = readFields(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
    if (!isUsable(fields.key)) return "a certificate's key is of a kind or size that is not accepted";
    const node = new X509Certificate(Buffer.from(raw));
    return { ...fields, raw: node.raw, id: node.fingerprint256, node, publicKey: node.publicKey };
  } catch {
    return "the certificate chain holds something that is no certificate";
  }
}

const smallestRsaBits = 2048;
const mostRsaBits = 16_384;
/** Nearly every key has this exponent. A signature check takes as many multiplications as the exponent has bits. */
const largestExponent = 65_537;
const smallestExponent = 3;

/** Ed25519, the three NIST curves, or RSA of a fair size with a small exponent. */
function isUsable(key: CertificateKey): boolean {
  if (key.kind !== "rsa") return key.kind !== "other";
  const { bits, exponent } = key;
  const isSized = bits >= smallestRsaBits && bits <= mostRsaBits;
  return isSized && exponent >= smallestExponent && exponent <= largestExponent && exponent % 2 === 1;
}
