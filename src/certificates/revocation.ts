import "reflect-metadata";
import { constants, type KeyObject, verify } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { Certificate } from "./certificate.js";
import { canonicalSerial, keyUsage, readSignedParts } from "./certificate.js";

/** A certificate revocation list (RFC 5280, section 5). Times are Unix milliseconds. */
export interface RevocationList {
  readonly issuer: string;
  readonly thisUpdate: number;
  /** Undefined if the list has none. It then never expires. */
  readonly nextUpdate: number | undefined;
  readonly serials: ReadonlySet<string>;
  /** Whether it covers only some certificates of its issuer, or has a critical extension; neither is supported. */
  readonly isPartial: boolean;
  isSignedBy(issuer: Pick<Certificate, "id" | "publicKey">): boolean;
}

/** The status of a certificate by the lists. `unknown`: its issuer has lists, but no valid one. */
type Revocation = { is: "good"; goodUntil: number } | { is: "revoked" } | { is: "unknown" };

/** Parses the lists of a file, PEM (any number) or DER (one). Throws if it is neither. */
export function readRevocationLists(file: Buffer): RevocationList[] {
  const text = file.toString("latin1");
  if (!text.includes("-----BEGIN")) return [readList(file)];
  return x509.PemConverter.decode(text).map((raw) => readList(Buffer.from(raw)));
}

/**
 * The status of a certificate. If the operator has no list of the issuer, the certificate is good. If there is a list, it
 * must be signed by the issuer and in date, or the status is unknown and the certificate is not accepted.
 */
export function revocationOf(
  certificate: Certificate,
  issuer: Certificate,
  { lists, nowMillis }: { lists: readonly RevocationList[]; nowMillis: number },
): Revocation {
  const named = lists.filter((list) => list.issuer === certificate.issuer);
  if (named.length === 0) return { is: "good", goodUntil: Number.POSITIVE_INFINITY };
  const signed = named.filter((list) => !list.isPartial && mayListRevocations(issuer) && list.isSignedBy(issuer));
  if (signed.some((list) => list.serials.has(certificate.serial))) return { is: "revoked" };
  const ends = signed.filter((list) => isCurrent(list, nowMillis)).map(endOf);
  return ends.length === 0 ? { is: "unknown" } : { is: "good", goodUntil: Math.max(...ends) };
}

function readList(raw: Buffer): RevocationList {
  const list = new x509.X509Crl(new Uint8Array(raw));
  const { entries } = list;
  const isRestricted = list.extensions.some(({ critical, type }) => critical || partialLists.has(type));
  return {
    issuer: Buffer.from(list.issuerName.toArrayBuffer()).toString("hex"),
    thisUpdate: list.thisUpdate.getTime(),
    nextUpdate: list.nextUpdate?.getTime(),
    serials: new Set(entries.map(({ serialNumber }) => canonicalSerial(serialNumber))),
    isPartial: isRestricted || entries.some(({ extensions }) => extensions.some(({ critical }) => critical)),
    isSignedBy: cachingSigners((key) => isSigned(raw, list, key)),
  };
}

/** Extensions of lists that cover only some certificates, reasons or changes, even if they are not marked critical. */
const partialLists = new Set([
  "2.5.29.27", // delta list
  "2.5.29.28", // issuing distribution point
]);

/** Caches the results, because a check of a long list takes long and the same few authorities recur. */
function cachingSigners(isSignedBy: (key: KeyObject) => boolean): RevocationList["isSignedBy"] {
  const known = new Map<string, boolean>();
  return ({ id, publicKey }) => {
    const answer = known.get(id) ?? isSignedBy(publicKey);
    if (known.size < maxSigners) known.set(id, answer);
    return answer;
  };
}

const maxSigners = 100;

/** The signature of a list covers its first element. */
function isSigned(raw: Buffer, list: x509.X509Crl, key: KeyObject): boolean {
  try {
    const { signed, algorithm } = readSignedParts(raw);
    if (algorithm === undefined) return false;
    const padding = algorithm.isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
    return verify(algorithm.hash, signed, { key, ...padding }, Buffer.from(list.signature));
  } catch {
    return false;
  }
}

function isCurrent({ thisUpdate, nextUpdate }: RevocationList, nowMillis: number): boolean {
  return thisUpdate <= nowMillis && (nextUpdate === undefined || nowMillis < nextUpdate);
}

function endOf({ nextUpdate }: RevocationList): number {
  return nextUpdate ?? Number.POSITIVE_INFINITY;
}

/** An authority with a key usage extension must include revocation lists in it. */
function mayListRevocations({ keyUsages }: Certificate): boolean {
  return keyUsages === undefined || (keyUsages & keyUsage.cRLSign) !== 0;
}
