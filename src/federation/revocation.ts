import "reflect-metadata";
import { constants, type KeyObject, verify } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { type Certificate, canonicalSerial, hashOf } from "./certificate.js";
import { derElement } from "./der.js";

/** A certificate revocation list (RFC 5280, section 5). Times are Unix milliseconds. */
export interface RevocationList {
  readonly issuer: string;
  readonly thisUpdate: number;
  /** Undefined where the list does not say; it is then never out of date. */
  readonly nextUpdate: number | undefined;
  readonly serials: ReadonlySet<string>;
  /** Whether it has a critical extension, such as that of a delta list, which this relay does not read. */
  readonly isPartial: boolean;
  isSignedBy(key: KeyObject): boolean;
}

/** What the lists say of a certificate. `unknown`: its issuer has a list, but none that can be relied on. */
export type Revocation = "good" | "revoked" | "unknown";

/** The lists of a file, PEM (any number) or DER (one). Throws for what is none. */
export function readRevocationLists(file: Buffer): RevocationList[] {
  const text = file.toString("latin1");
  if (!text.includes("-----BEGIN")) return [readList(file)];
  return x509.PemConverter.decode(text).map((raw) => readList(Buffer.from(raw)));
}

/**
 * A certificate whose issuer has no list is good: lists are checked where the operator keeps them. Where there is one,
 * it must be signed by the issuer and not out of date, or nothing is known and the certificate is not accepted.
 */
export function revocationOf(
  certificate: Certificate,
  issuer: Certificate,
  { lists, nowMillis }: { lists: readonly RevocationList[]; nowMillis: number },
): Revocation {
  const named = lists.filter((list) => list.issuer === certificate.issuer);
  if (named.length === 0) return "good";
  const signed = named.filter(
    (list) => !list.isPartial && mayListRevocations(issuer) && list.isSignedBy(issuer.publicKey),
  );
  if (signed.some((list) => list.serials.has(certificate.serial))) return "revoked";
  return signed.some((list) => isCurrent(list, nowMillis)) ? "good" : "unknown";
}

function readList(raw: Buffer): RevocationList {
  const list = new x509.X509Crl(new Uint8Array(raw));
  const serials = list.entries.map(({ serialNumber }) => canonicalSerial(serialNumber));
  return {
    issuer: Buffer.from(list.issuerName.toArrayBuffer()).toString("hex"),
    thisUpdate: list.thisUpdate.getTime(),
    nextUpdate: list.nextUpdate?.getTime(),
    serials: new Set(serials),
    isPartial: list.extensions.some(({ critical }) => critical),
    isSignedBy: (key) => isSigned(raw, list, key),
  };
}

/** The list's signature covers its first element, the list proper. */
function isSigned(raw: Buffer, list: x509.X509Crl, key: KeyObject): boolean {
  const outer = derElement(raw, 0);
  const inner = outer && derElement(raw, outer.content);
  if (outer === undefined || inner === undefined) return false;
  const { name } = list.signatureAlgorithm;
  const padding = name === "RSA-PSS" ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
  try {
    const signedPart = raw.subarray(outer.content, inner.end);
    return verify(
      hashOf(list.signatureAlgorithm) || null,
      signedPart,
      { key, ...padding },
      Buffer.from(list.signature),
    );
  } catch {
    return false;
  }
}

function isCurrent({ thisUpdate, nextUpdate }: RevocationList, nowMillis: number): boolean {
  return thisUpdate <= nowMillis + clockSkewMillis && (nextUpdate === undefined || nowMillis < nextUpdate);
}

/** An authority that says what its key is for must have said so of revocation lists. */
function mayListRevocations({ keyUsages }: Certificate): boolean {
  return keyUsages === undefined || (keyUsages & x509.KeyUsageFlags.cRLSign) !== 0;
}

const clockSkewMillis = 300_000;
