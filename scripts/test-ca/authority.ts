import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { dayMillis } from "../../src/protocol/units.js";

/** How a certificate of a test authority differs from a plain server certificate. */
interface CertificateOptions {
  /** The DNS names of the certificate. */
  hosts: readonly string[];
  key?: TestKeyKind;
  notBefore?: Date;
  notAfter?: Date;
  keyUsages?: x509.KeyUsageFlags;
  extendedUsages?: readonly string[];
  /** Signed by its own key instead of the authority's. */
  selfSigned?: boolean;
}

export type TestKeyKind = "ed25519" | "p256" | "p384" | "p521" | "rsa2048";

/** A certificate chain and its private key, both PEM, as a relay is given them. */
export interface TestCredential {
  cert: string;
  key: string;
  serial: string;
}

/** An authority for tests and closed trials: a relay that trusts it must not be reachable by strangers. */
export interface TestAuthority {
  /** PEM, for FEDERATION_CA_FILE; for an intermediate, its certificate. */
  cert: string;
  /** The private key in PEM, by which a root can be opened again. */
  key(): Promise<string>;
  issue(options: CertificateOptions): Promise<TestCredential>;
  /** An authority below this one. What it issues includes its certificate. */
  intermediate(options?: { pathLength?: number; isAuthority?: boolean }): Promise<TestAuthority>;
  /** PEM, for FEDERATION_CRL_FILE. */
  revocationList(serials: readonly string[], times?: { thisUpdate?: Date; nextUpdate?: Date }): Promise<string>;
}

type Key = { publicKey: webcrypto.CryptoKey; privateKey: webcrypto.CryptoKey };
type Algorithm = { name: string; hash: string };

const algorithms: Readonly<Record<TestKeyKind, { name: string } & Record<string, unknown>>> = {
  ed25519: { name: "Ed25519" },
  p256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  p384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  p521: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  rsa2048: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
};

const yearMillis = 365 * dayMillis;
const serverAuth = "1.3.6.1.5.5.7.3.1";
const { digitalSignature, keyCertSign, cRLSign } = x509.KeyUsageFlags;

/** A new root with an ECDSA key. `now` is the time at which its certificates are made; they are valid for ten years. */
export async function createTestAuthority(now: Date): Promise<TestAuthority> {
  const keys = await generate("p256");
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...common(now),
    name: "CN=mls-relay test authority",
    keys: keys as CryptoKeyPair,
    signingAlgorithm: algorithms.p256 as unknown as Algorithm,
    extensions: await authorityExtensions(keys, { isAuthority: true }),
  });
  return authority({ now, keys, certificate, chain: [] });
}

/** A root that was made earlier, from its certificate and key in PEM. */
export async function openTestAuthority(
  { cert, key }: { cert: string; key: string },
  now: Date,
): Promise<TestAuthority> {
  const certificate = new x509.X509Certificate(cert);
  const [der] = x509.PemConverter.decode(key);
  const named = algorithms.p256 as unknown as Algorithm;
  const publicKey = (await certificate.publicKey.export(named, ["verify"], webcrypto as Crypto)) as webcrypto.CryptoKey;
  const privateKey = await webcrypto.subtle.importKey("pkcs8", der as ArrayBuffer, named, true, ["sign"]);
  return authority({ now, keys: { publicKey, privateKey }, certificate, chain: [] });
}

interface Authority {
  now: Date;
  keys: Key;
  certificate: x509.X509Certificate;
  /** The intermediates up to the root, the authority's certificate first. */
  chain: readonly x509.X509Certificate[];
}

function authority(self: Authority): TestAuthority {
  const { now, certificate, chain } = self;
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: () => privatePem(self.keys),
    async issue(options) {
      const keys = await generate(options.key ?? "p256");
      const leaf = await issueLeaf(self, keys, options);
      const cert = [leaf, ...chain].map((part) => `${part.toString("pem")}\n`).join("");
      return { cert, key: await privatePem(keys), serial: leaf.serialNumber };
    },
    async intermediate(options = {}) {
      const keys = await generate("p256");
      const below = await x509.X509CertificateGenerator.create({
        ...common(now),
        subject: `CN=mls-relay test intermediate ${randomBytes(4).toString("hex")}`,
        ...signedBy(self),
        publicKey: keys.publicKey as CryptoKey,
        extensions: [
          ...(await authorityExtensions(keys, { isAuthority: true, ...options })),
          await x509.AuthorityKeyIdentifierExtension.create(issuerKey(self)),
        ],
      });
      return authority({ now, keys, certificate: below, chain: [below, ...chain] });
    },
    async revocationList(serials, { thisUpdate = now, nextUpdate = after(now, 10 * yearMillis) } = {}) {
      const list = await x509.X509CrlGenerator.create({
        issuer: certificate.subjectName,
        thisUpdate,
        nextUpdate,
        entries: serials.map((serialNumber) => ({ serialNumber, revocationDate: thisUpdate })),
        signingAlgorithm: algorithms.p256 as unknown as Algorithm,
        signingKey: self.keys.privateKey as CryptoKey,
      });
      return `${x509.PemConverter.encode(list.rawData, crlLabel)}\n`;
    },
  };
}

async function issueLeaf(self: Authority, keys: Key, options: CertificateOptions): Promise<x509.X509Certificate> {
  const { notBefore = self.now, notAfter = after(notBefore, 10 * yearMillis) } = options;
  const { hosts, keyUsages = digitalSignature, extendedUsages = [serverAuth] } = options;
  const subject = `CN=${hosts[0]}`;
  const selfSigned = { issuer: subject, signingKey: keys.privateKey as CryptoKey };
  return x509.X509CertificateGenerator.create({
    ...common(self.now),
    subject,
    ...signedBy(self),
    ...(options.selfSigned
      ? { ...selfSigned, signingAlgorithm: algorithms[options.key ?? "p256"] as unknown as Algorithm }
      : {}),
    notBefore,
    notAfter,
    publicKey: keys.publicKey as CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(keyUsages, true),
      new x509.ExtendedKeyUsageExtension([...extendedUsages]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: "dns" as const, value }))),
      ...(options.selfSigned ? [] : [await x509.AuthorityKeyIdentifierExtension.create(issuerKey(self))]),
    ],
  });
}

/** The form that OpenSSL reads; the library writes another one. */
const crlLabel = "X509 CRL";

function common(now: Date) {
  const serialNumber = `01${randomBytes(15).toString("hex")}`;
  // A machine whose clock is slightly behind must accept it, too.
  return { serialNumber, notBefore: after(now, -3_600_000), notAfter: after(now, 10 * yearMillis) };
}

function issuerKey({ keys }: Authority): CryptoKey {
  return keys.publicKey as CryptoKey;
}

function signedBy({ certificate, keys }: Authority) {
  return {
    issuer: certificate.subjectName,
    signingKey: keys.privateKey as CryptoKey,
    signingAlgorithm: algorithms.p256 as unknown as Algorithm,
  };
}

async function authorityExtensions(
  keys: Key,
  { isAuthority, pathLength }: { isAuthority: boolean; pathLength?: number },
) {
  return [
    new x509.BasicConstraintsExtension(isAuthority, pathLength, true),
    new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as CryptoKey),
  ];
}

async function generate(kind: TestKeyKind): Promise<Key> {
  return (await webcrypto.subtle.generateKey(algorithms[kind] as unknown as Algorithm, true, [
    "sign",
    "verify",
  ])) as Key;
}

async function privatePem({ privateKey }: Key): Promise<string> {
  const der = await webcrypto.subtle.exportKey("pkcs8", privateKey);
  return `${x509.PemConverter.encode(der, "PRIVATE KEY")}\n`;
}

function after(date: Date, millis: number): Date {
  return new Date(date.getTime() + millis);
}
