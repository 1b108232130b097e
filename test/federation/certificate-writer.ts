import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from "node:crypto";
import { bits, boolean, der, integer, none, octets, oid, sequence, time, utf8 } from "./der-writer.js";

/** How a certificate of a test is made. What is left out is as usual. */
export interface CertificateDraft {
  subject?: Buffer;
  key?: TestKey;
  /** In place of the key's own. */
  publicKey?: Buffer;
  notBefore?: Date;
  notAfter?: Date;
  /** The elements themselves. */
  validity?: Buffer;
  extensions?: readonly Buffer[];
  /** Zero-based; 2 is the third. */
  version?: number;
  serial?: bigint;
  signature?: SignatureKind;
  /** The algorithm as named outside of what is signed. */
  outerAlgorithm?: Buffer;
  /** Spoils the signature. */
  spoilt?: boolean;
  /** The issuer's name as it is written here. */
  issuerName?: Buffer;
}

type TestKey = KeyPairKeyObjectResult;

/** A certificate and what is needed to issue others with it. */
export interface Issued {
  raw: Buffer;
  name: Buffer;
  key: TestKey;
  serial: bigint;
}

interface SignatureKind {
  algorithm: Buffer;
  hash: string | null;
  padding?: number;
}

const rsaOid = (last: number) => sequence(oid(`1.2.840.113549.1.1.${last}`), none());
const pss = (hash: string, saltLength: number) =>
  sequence(
    oid("1.2.840.113549.1.1.10"),
    sequence(
      der(0xa0, sequence(oid(hash), none())),
      der(0xa1, sequence(oid("1.2.840.113549.1.1.8"), sequence(oid(hash), none()))),
      der(0xa2, integer(saltLength)),
    ),
  );

export const signatures = {
  ecdsaSha1: { algorithm: sequence(oid("1.2.840.10045.4.1")), hash: "sha1" },
  ecdsaSha256: { algorithm: sequence(oid("1.2.840.10045.4.3.2")), hash: "sha256" },
  ecdsaSha384: { algorithm: sequence(oid("1.2.840.10045.4.3.3")), hash: "sha384" },
  ecdsaSha512: { algorithm: sequence(oid("1.2.840.10045.4.3.4")), hash: "sha512" },
  ed25519: { algorithm: sequence(oid("1.3.101.112")), hash: null },
  ed448: { algorithm: sequence(oid("1.3.101.113")), hash: null },
  rsaMd5: { algorithm: rsaOid(4), hash: "md5" },
  rsaSha1: { algorithm: rsaOid(5), hash: "sha1" },
  rsaSha224: { algorithm: rsaOid(14), hash: "sha224" },
  rsaSha256: { algorithm: rsaOid(11), hash: "sha256" },
  rsaSha384: { algorithm: rsaOid(12), hash: "sha384" },
  rsaPss: {
    algorithm: pss("2.16.840.1.101.3.4.2.1", 32),
    hash: "sha256",
    padding: constants.RSA_PKCS1_PSS_PADDING,
  },
  rsaPssSha1: { algorithm: pss("1.3.14.3.2.26", 20), hash: "sha1", padding: constants.RSA_PKCS1_PSS_PADDING },
} satisfies Record<string, SignatureKind>;

export function ec(namedCurve = "P-256"): TestKey {
  return generateKeyPairSync("ec", { namedCurve });
}

export function rsa(modulusLength = 2048, publicExponent = 65_537): TestKey {
  return generateKeyPairSync("rsa", { modulusLength, publicExponent });
}

export function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid("2.5.4.3"), utf8(commonName))));
}

const dayMillis = 86_400_000;

/** By this issuer, or, without one, by its own key. */
export function write(issuer: Issued | null, draft: CertificateDraft = {}): Issued {
  const key = draft.key ?? ec();
  const name = draft.subject ?? nameOf(`test ${randomBytes(6).toString("hex")}`);
  const serial = draft.serial ?? BigInt(`0x41${randomBytes(12).toString("hex")}`);
  const signer = (issuer?.key ?? key).privateKey;
  const kind = draft.signature ?? usualSignature(signer);
  const { notBefore = new Date(Date.now() - dayMillis), notAfter = new Date(Date.now() + dayMillis) } = draft;
  const { version = 2, extensions = [] } = draft;
  const signed = sequence(
    ...(version === 0 ? [] : [der(0xa0, integer(version))]),
    integer(serial),
    kind.algorithm,
    draft.issuerName ?? issuer?.name ?? name,
    draft.validity ?? sequence(time(notBefore), time(notAfter)),
    name,
    draft.publicKey ?? key.publicKey.export({ format: "der", type: "spki" }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  );
  const raw = signedBy(signer, { signed, kind, ...draft });
  return { raw, name, key, serial };
}

/** A revocation list (RFC 5280, section 5) with these serial numbers. */
export function writeList(
  issuer: Issued,
  draft: {
    revoked?: readonly bigint[];
    entryExtensions?: readonly Buffer[];
    extensions?: readonly Buffer[];
    thisUpdate?: Date;
    nextUpdate?: Date | null;
    signer?: TestKey;
    spoilt?: boolean;
    signature?: SignatureKind;
  } = {},
): Buffer {
  const signer = (draft.signer ?? issuer.key).privateKey;
  const kind = draft.signature ?? usualSignature(signer);
  const { thisUpdate = new Date(Date.now() - dayMillis), nextUpdate = new Date(Date.now() + dayMillis) } = draft;
  const of = (extensions: readonly Buffer[] = []) => (extensions.length === 0 ? [] : [sequence(...extensions)]);
  const entries = (draft.revoked ?? []).map((serial) =>
    sequence(integer(serial), time(thisUpdate), ...of(draft.entryExtensions)),
  );
  const number = extension("2.5.29.20", integer(1));
  const signed = sequence(
    integer(1),
    kind.algorithm,
    issuer.name,
    time(thisUpdate),
    ...(nextUpdate === null ? [] : [time(nextUpdate)]),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    der(0xa0, sequence(number, ...(draft.extensions ?? []))),
  );
  return signedBy(signer, { signed, kind, ...(draft.spoilt === true ? { spoilt: true } : {}) });
}

function signedBy(
  signer: KeyObject,
  made: { signed: Buffer; kind: SignatureKind; outerAlgorithm?: Buffer; spoilt?: boolean },
): Buffer {
  const { signed, kind } = made;
  const { padding } = kind;
  const signature = sign(kind.hash, signed, padding === undefined ? signer : { key: signer, padding, saltLength: -1 });
  if (made.spoilt === true) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  return sequence(signed, made.outerAlgorithm ?? kind.algorithm, bits(signature));
}

function usualSignature(key: KeyObject): SignatureKind {
  if (key.asymmetricKeyType === "ed25519") return signatures.ed25519;
  if (key.asymmetricKeyType === "ed448") return signatures.ed448;
  return key.asymmetricKeyType === "rsa" ? signatures.rsaSha256 : signatures.ecdsaSha256;
}

export function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

export const isAuthority = (pathLength?: number, critical = true): Buffer =>
  extension("2.5.29.19", sequence(boolean(true), ...(pathLength === undefined ? [] : [integer(pathLength)])), critical);
export const isNoAuthority = (critical = true): Buffer => extension("2.5.29.19", sequence(), critical);

const usageBits = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04, cRLSign: 0x02 };

export function keyUsage(usages: readonly (keyof typeof usageBits)[], critical = true): Buffer {
  const byte = usages.reduce((sum, usage) => sum | usageBits[usage], 0);
  return extension("2.5.29.15", bits(Buffer.from([byte]), byte === 0 ? 0 : Math.clz32(byte & -byte) ^ 31), critical);
}

export const usages = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
  any: "2.5.29.37.0",
} as const;

export const extendedUsage = (ids: readonly string[], critical = false): Buffer =>
  extension("2.5.29.37", sequence(...ids.map(oid)), critical);

/** General names by their forms. */
export const dns = (host: string): Buffer => der(0x82, Buffer.from(host));
export const ip = (...bytes: number[]): Buffer => der(0x87, Buffer.from(bytes));
export const email = (address: string): Buffer => der(0x81, Buffer.from(address));
export const directory = (name: Buffer): Buffer => der(0xa4, name);

export const names = (...of: Buffer[]): Buffer => extension("2.5.29.17", sequence(...of));

export function nameConstraints(
  { permitted = [], excluded = [] }: { permitted?: readonly Buffer[]; excluded?: readonly Buffer[] },
  critical = true,
): Buffer {
  const under = (tag: number, bases: readonly Buffer[]) =>
    bases.length === 0 ? [] : [der(tag, ...bases.map((base) => sequence(base)))];
  return extension("2.5.29.30", sequence(...under(0xa0, permitted), ...under(0xa1, excluded)), critical);
}

export function subjectKeyId({ publicKey }: TestKey): Buffer {
  return extension("2.5.29.14", octets(keyId(publicKey)));
}

export function authorityKeyId({ publicKey }: TestKey): Buffer {
  return extension("2.5.29.35", sequence(der(0x80, keyId(publicKey))));
}

function keyId(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ format: "der", type: "spki" }))
    .digest();
}
