import "reflect-metadata";
import { type KeyObject, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A certificate as this room looks at it: one library's checks and the other's fields. Times are Unix milliseconds. */
export interface Certificate {
  readonly raw: Buffer;
  /** Tells certificates apart: SHA-256 over the whole. */
  readonly id: string;
  readonly node: X509Certificate;
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly publicKey: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly isAuthority: boolean;
  /** How many authorities may follow below it before the leaf; no limit where undefined. */
  readonly pathLength: number | undefined;
  /** Undefined where it has no such extension. */
  readonly keyUsages: number | undefined;
  readonly extendedUsages: readonly string[] | undefined;
  /** The hash of its signature, empty for algorithms that have none of their own. */
  readonly signatureHash: string;
  readonly criticalExtensions: readonly string[];
}

/** Reads a certificate in DER. Undefined for what is none. */
export function readCertificate(raw: Uint8Array): Certificate | undefined {
  try {
    const node = new X509Certificate(Buffer.from(raw));
    const parsed = new x509.X509Certificate(Buffer.from(raw));
    const constraints = parsed.getExtension(x509.BasicConstraintsExtension);
    return {
      raw: node.raw,
      id: node.fingerprint256,
      node,
      subject: Buffer.from(parsed.subjectName.toArrayBuffer()).toString("hex"),
      issuer: Buffer.from(parsed.issuerName.toArrayBuffer()).toString("hex"),
      serial: canonicalSerial(parsed.serialNumber),
      publicKey: node.publicKey,
      notBefore: parsed.notBefore.getTime(),
      notAfter: parsed.notAfter.getTime(),
      isAuthority: constraints?.ca === true,
      pathLength: constraints?.pathLength,
      keyUsages: parsed.getExtension(x509.KeyUsagesExtension)?.usages,
      extendedUsages: parsed.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String),
      signatureHash: hashOf(parsed.signatureAlgorithm),
      criticalExtensions: parsed.extensions.filter(({ critical }) => critical).map(({ type }) => type),
    };
  } catch {
    return undefined;
  }
}

/** Serial numbers are compared without leading zeros. */
export function canonicalSerial(hex: string): string {
  return hex.toLowerCase().replace(/^0+(?=.)/, "");
}

/** The name of the hash in a signature algorithm, as node spells it. */
export function hashOf(algorithm: { hash?: unknown }): string {
  const { hash } = algorithm as { hash?: { name?: string } | string };
  const name = typeof hash === "string" ? hash : (hash?.name ?? "");
  return name.replace("-", "").toLowerCase();
}
