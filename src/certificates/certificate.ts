import { type KeyObject, X509Certificate } from "node:crypto";
import { type GeneralName, type NameConstraints, readConstraints, readNames } from "./certificate-names.js";
import { type DerElement, derElements, derOid, derSequence, derTags, derUnsigned, derValue, malformed } from "./der.js";

/** A parsed certificate: its fields, and OpenSSL's object to check names and signatures with. */
export interface Certificate extends CertificateFields {
  readonly raw: Buffer;
  /** SHA-256 over the whole certificate. */
  readonly id: string;
  readonly node: X509Certificate;
  readonly publicKey: KeyObject;
}

/** Parses a certificate in DER. Undefined if it is malformed or has a key that is not accepted. */
export function readCertificate(raw: Uint8Array): Certificate | undefined {
  const read = parseCertificate(raw);
  return typeof read === "string" ? undefined : read;
}

/**
 * Parses a certificate in DER. If it cannot be accepted, returns a text with the reason. The key is checked before
 * OpenSSL parses the certificate, because even parsing can be slow if an attacker chose the key.
 */
export function parseCertificate(raw: Uint8Array): Certificate | string {
  const read = parseFields(raw);
  return typeof read === "string" || opens(read) ? read : notCertificate;
}

/**
 * Like the above, but OpenSSL parses the certificate only when `node`, `id` or `publicKey` is first read: parsing takes
 * most of the time, and an intermediate that was sent may not be needed. These members throw if OpenSSL cannot parse
 * the certificate (see `opens`).
 */
export function parseFields(raw: Uint8Array): Certificate | string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  try {
    const fields = readFields(bytes);
    if (!isUsable(fields.key)) return "a certificate's key is of a kind or size that is not accepted";
    return withNode(fields, bytes);
  } catch {
    return notCertificate;
  }
}

const notCertificate = "the certificate chain contains something that is not a certificate";

function withNode(fields: CertificateFields, raw: Buffer): Certificate {
  let parsed: X509Certificate | undefined;
  const node = (): X509Certificate => {
    parsed ??= new X509Certificate(raw);
    return parsed;
  };
  return {
    ...fields,
    raw,
    get node() {
      return node();
    },
    get id() {
      return node().fingerprint256;
    },
    get publicKey() {
      return node().publicKey;
    },
  };
}

/** Whether OpenSSL can parse the certificate and its key. */
export function opens(certificate: Certificate): boolean {
  try {
    return certificate.publicKey !== undefined;
  } catch {
    return false;
  }
}

const smallestRsaBits = 2048;
const maxRsaBits = 16_384;
/** The exponent of nearly all keys. The time of a signature check grows with the bits of the exponent. */
const largestExponent = 65_537;
const smallestExponent = 3;

/** Ed25519, the three NIST curves, or RSA of an acceptable size with a small exponent. */
function isUsable(key: CertificateKey): boolean {
  if (key.kind !== "rsa") return key.kind !== "other";
  const { bits, exponent } = key;
  const isSized = bits >= smallestRsaBits && bits <= maxRsaBits;
  return isSized && exponent >= smallestExponent && exponent <= largestExponent && exponent % 2 === 1;
}

/** The fields of a certificate (RFC 5280, section 4). Times are Unix milliseconds. */
interface CertificateFields {
  /** Hexadecimal DER, compared byte by byte. */
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly key: CertificateKey;
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  readonly isAuthority: boolean;
  /** Maximum number of authorities between this one and the leaf. Undefined for no limit. */
  readonly pathLength: number | undefined;
  /** Undefined if the certificate has no such extension. */
  readonly keyUsages: number | undefined;
  readonly extendedUsages: readonly string[] | undefined;
  readonly names: readonly GeneralName[];
  readonly constraints: NameConstraints | undefined;
  readonly extensions: readonly { readonly oid: string; readonly critical: boolean }[];
}

/** Parsed before anything computes with the key. */
type CertificateKey =
  | { kind: "rsa"; bits: number; exponent: number }
  | { kind: "p256" | "p384" | "p521" | "ed25519" | "other" };

/** An accepted signature algorithm. `hash` is spelled as in Node.js, and null if the kind of key implies it. */
interface SignatureAlgorithm {
  hash: string | null;
  isPss: boolean;
}

/** Bits of the first byte of a key usage. */
export const keyUsage = { digitalSignature: 0x80, keyCertSign: 0x04, cRLSign: 0x02 } as const;

export const extensionIds = {
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  extendedKeyUsage: "2.5.29.37",
} as const;

const maxExtensions = 64;
const lastVersion = 2;

/** Throws if the bytes are not a certificate, or if an extension occurs twice. */
function readFields(raw: Buffer): CertificateFields {
  const [signed, algorithm, signature, ...more] = derSequence(raw);
  if (signed === undefined || algorithm === undefined || signature?.tag !== derTags.bitString) throw malformed();
  const { inner, ...fields } = readSigned(derSequence(signed.whole));
  if (more.length > 0 || !inner.equals(algorithm.whole)) throw malformed();
  return { ...fields, signatureAlgorithm: readSignatureAlgorithm(inner) };
}

function readSigned(elements: DerElement[]) {
  const version = elements[0]?.tag === versionTag ? elements.shift() : undefined;
  if (version !== undefined && Number(derUnsigned(version.value)[0]) > lastVersion) throw malformed();
  const [serial, inner, issuer, validity, subject, key, ...optional] = elements;
  if (!serial || !inner || !issuer || !validity || !subject || !key) throw malformed();
  const extensions = optional.find(({ tag }) => tag === extensionsTag);
  if (extensions !== undefined && version?.value.at(-1) !== lastVersion) throw malformed();
  return {
    inner: inner.whole,
    serial: canonicalSerial(derValue(serial.whole, derTags.integer).toString("hex")),
    issuer: issuer.whole.toString("hex"),
    subject: subject.whole.toString("hex"),
    ...readValidity(validity.whole),
    key: readKey(key.whole),
    ...readExtensions(extensions?.value),
  };
}

const versionTag = 0xa0;
const extensionsTag = 0xa3;

/** Serial numbers are compared without leading zeros. */
export function canonicalSerial(hex: string): string {
  return hex.toLowerCase().replace(/^0+(?=.)/, "");
}

function readValidity(raw: Buffer): { notBefore: number; notAfter: number } {
  const [from, to, ...more] = derSequence(raw);
  if (from === undefined || to === undefined || more.length > 0) throw malformed();
  return { notBefore: readTime(from), notAfter: readTime(to) };
}

/** The only form that RFC 5280 (section 4.1.2.5) allows: seconds, no fractions, Z. */
function readTime({ tag, value }: DerElement): number {
  const text = value.toString("latin1");
  const isShort = tag === derTags.utcTime;
  if (!(isShort ? /^\d{12}Z$/ : /^\d{14}Z$/).test(text) || (!isShort && tag !== derTags.generalizedTime)) {
    throw malformed();
  }
  const full = isShort ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const [, date = "", time = ""] = /^(\d{8})(\d{6})/.exec(full) ?? [];
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const millis = Date.parse(`${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
  if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(day)) throw malformed();
  return millis;
}

const rsaEncryption = "1.2.840.113549.1.1.1";
const ecPublicKey = "1.2.840.10045.2.1";
const curves: Readonly<Record<string, "p256" | "p384" | "p521">> = {
  "1.2.840.10045.3.1.7": "p256",
  "1.3.132.0.34": "p384",
  "1.3.132.0.35": "p521",
};
const ed25519 = "1.3.101.112";
const maxExponentBytes = 4;

function readKey(raw: Buffer): CertificateKey {
  const [algorithm, bits] = derSequence(raw);
  if (algorithm === undefined || bits === undefined) throw malformed();
  const [oid, parameters] = derSequence(algorithm.whole);
  if (oid === undefined) throw malformed();
  const name = derOid(oid.whole);
  if (name === rsaEncryption) return readRsaKey(derValue(bits.whole, derTags.bitString).subarray(1));
  if (name === ed25519) return { kind: "ed25519" };
  // A curve with explicit parameters is not accepted, even if it equals a named one.
  const isNamed = name === ecPublicKey && parameters?.tag === derTags.oid;
  return { kind: (isNamed ? curves[derOid(parameters.whole)] : undefined) ?? "other" };
}

function readRsaKey(raw: Buffer): CertificateKey {
  const [modulus, exponent] = derSequence(raw).map(({ whole }) => derUnsigned(whole));
  if (modulus === undefined || exponent === undefined || modulus.length === 0) throw malformed();
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  const isSmall = exponent.length > 0 && exponent.length <= maxExponentBytes;
  const value = isSmall ? exponent.readUIntBE(0, exponent.length) : Number.POSITIVE_INFINITY;
  return { kind: "rsa", bits, exponent: value };
}

function readExtensions(wrapped: Buffer | undefined) {
  const found = new Map<string, Buffer>();
  const extensions: { oid: string; critical: boolean }[] = [];
  for (const { whole } of wrapped === undefined ? [] : derSequence(wrapped)) {
    const { oid, critical, value } = readExtension(whole);
    if (found.has(oid) || found.size === maxExtensions) throw malformed();
    found.set(oid, value);
    extensions.push({ oid, critical });
  }
  const names = found.get(extensionIds.subjectAltName);
  const constraints = found.get(extensionIds.nameConstraints);
  return {
    ...readBasicConstraints(found.get(extensionIds.basicConstraints)),
    keyUsages: readKeyUsage(found.get(extensionIds.keyUsage)),
    extendedUsages: readExtendedUsages(found.get(extensionIds.extendedKeyUsage)),
    names: names === undefined ? [] : readNames(names),
    constraints: constraints === undefined ? undefined : readConstraints(constraints),
    extensions,
  };
}

function readExtension(raw: Buffer): { oid: string; critical: boolean; value: Buffer } {
  const parts = derSequence(raw);
  const [oid, value] = [parts.shift(), parts.pop()];
  const [critical, ...more] = parts;
  if (oid === undefined || value?.tag !== derTags.octetString || more.length > 0) throw malformed();
  const isCritical = critical !== undefined && readBoolean(critical.whole);
  return { oid: derOid(oid.whole), critical: isCritical, value: value.value };
}

function readBoolean(raw: Buffer): boolean {
  const [byte, ...more] = derValue(raw, derTags.boolean);
  if (more.length > 0 || (byte !== 0 && byte !== 0xff)) throw malformed();
  return byte === 0xff;
}

function readBasicConstraints(raw: Buffer | undefined): { isAuthority: boolean; pathLength: number | undefined } {
  const parts = raw === undefined ? [] : derSequence(raw);
  const authority = parts[0]?.tag === derTags.boolean ? parts.shift() : undefined;
  const [length, ...more] = parts;
  const bytes = length === undefined ? undefined : derUnsigned(length.whole);
  if (more.length > 0 || (bytes !== undefined && bytes.length > 1)) throw malformed();
  return { isAuthority: authority !== undefined && readBoolean(authority.whole), pathLength: bytes?.[0] };
}

function readKeyUsage(raw: Buffer | undefined): number | undefined {
  if (raw === undefined) return undefined;
  const [unused, first] = derValue(raw, derTags.bitString);
  if (unused === undefined || unused > 7) throw malformed();
  return first ?? 0;
}

function readExtendedUsages(raw: Buffer | undefined): string[] | undefined {
  return raw === undefined ? undefined : derSequence(raw).map(({ whole }) => derOid(whole));
}

/** The algorithm in an AlgorithmIdentifier. Undefined if it is malformed or unknown. */
function readSignatureAlgorithm(raw: Buffer): SignatureAlgorithm | undefined {
  const [oid, parameters] = derSequence(raw);
  if (oid === undefined) throw malformed();
  const name = derOid(oid.whole);
  if (name === rsaPss) return readPss(parameters?.whole);
  const hash = hashes[name];
  return hash === undefined ? undefined : { hash, isPss: false };
}

const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  [ed25519]: null,
};
const rsaPss = "1.2.840.113549.1.1.10";
const pssHashes: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const pssHashTag = 0xa0;

/** The hash is the first parameter. Without it, SHA-1 is implied (RFC 4055). */
function readPss(parameters: Buffer | undefined): SignatureAlgorithm | undefined {
  const [first] = parameters === undefined ? [] : derSequence(parameters);
  const [oid] = first?.tag === pssHashTag ? derSequence(first.value) : [];
  const hash = oid === undefined ? undefined : pssHashes[derOid(oid.whole)];
  return hash === undefined ? undefined : { hash, isPss: true };
}

/** The signed bytes and the algorithm of anything that is signed like certificates and revocation lists. */
export function readSignedParts(raw: Buffer): { signed: Buffer; algorithm: SignatureAlgorithm | undefined } {
  const elements = derElements(derValue(raw, derTags.sequence));
  const [signed, algorithm] = elements ?? [];
  if (signed === undefined || algorithm === undefined) throw malformed();
  return { signed: signed.whole, algorithm: readSignatureAlgorithm(algorithm.whole) };
}
