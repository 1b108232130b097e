import type { Config } from "../../platform/config/config.js";
import type { Certificate } from "./certificate.js";
import { extensionIds, keyUsage } from "./certificate.js";
import { permits } from "./certificate-names.js";
import { revocationOf } from "./revocation.js";
import type { Trust } from "./trust-store.js";

export type ChainConfig = Pick<Config, "certificateChainBytes" | "certificateIntermediates" | "certificateRsaBits">;

/** The rules for a path. */
export interface PathRules {
  trust: Pick<Trust, "anchorsOf" | "lists">;
  nowMillis: number;
  config: ChainConfig;
}

/** A path from a server's certificate to a trusted authority. */
export interface TrustedPath {
  /** The leaf, then each issuer, the trusted authority last. */
  certificates: readonly Certificate[];
  /** When the first certificate or revocation list of the path expires, in Unix milliseconds. */
  goodUntil: number;
}

/**
 * Searches for a path upwards through the intermediates that were sent (RFC 5280, section 6, without policies). The search
 * is breadth first, so each intermediate is reached by the shortest path, which path length constraints allow if they allow
 * any. Each is reached once, so every pair of certificate and issuer is compared once. The generator yields before each
 * signature check, since those take the time. A text gives the reason if there is no path.
 */
export function* findPath(
  chain: { leaf: Certificate; intermediates: readonly Certificate[] },
  rules: PathRules,
): Generator<undefined, TrustedPath | string> {
  const search: Search = { rules, effort: mostEffort };
  const unreached = new Set(chain.intermediates.filter(({ subject, issuer }) => subject !== issuer));
  const reached: Step[] = [{ certificate: chain.leaf, below: 0, previous: undefined }];
  let problem: string | undefined;
  for (const step of reached) {
    for (const anchor of rules.trust.anchorsOf(step.certificate)) {
      if (!(yield* isIssuedBy(step, anchor, search))) continue;
      const path = checkPath([...certificatesOf(step), anchor], rules);
      if (typeof path !== "string") return path;
      problem ??= path;
    }
    for (const issuer of unreached) {
      if (!(yield* isIssuedBy(step, issuer, search))) continue;
      unreached.delete(issuer);
      reached.push({ certificate: issuer, below: step.below + 1, previous: step });
    }
  }
  if (search.effort < 0) return problem ?? "the certificate chain takes too many signature checks";
  return problem ?? "the certificate is not from a trusted authority";
}

interface Step {
  certificate: Certificate;
  /** The number of authorities from this certificate down to the leaf, itself included. */
  below: number;
  /** The certificate it issued. Undefined for the leaf. */
  previous: Step | undefined;
}

interface Search {
  rules: PathRules;
  /** The effort left for signature checks. Below zero, none is made any more. */
  effort: number;
}

/** The leaf first. */
function certificatesOf({ certificate, previous }: Step): Certificate[] {
  return previous === undefined ? [certificate] : [...certificatesOf(previous), certificate];
}

function* isIssuedBy(step: Step, issuer: Certificate, search: Search): Generator<undefined, boolean> {
  const { certificate, below } = step;
  const { nowMillis, config } = search.rules;
  if (certificate.issuer !== issuer.subject || !certificate.node.checkIssued(issuer.node)) return false;
  if (!maySign(issuer, below) || !isInDate(issuer, nowMillis) || !isFit(issuer, config)) return false;
  if (certificate.signatureAlgorithm === undefined) return false;
  search.effort -= effortOf(issuer);
  if (search.effort < 0) return false;
  yield;
  return certificate.node.verify(issuer.publicKey);
}

/**
 * The effort of signature checks, in units of one check with P-256 or RSA of 2048 bits (about 50 microseconds). OpenSSL has
 * no fast code for the larger curves. The limit allows two issuers of the slowest kind, and any usual chain that fits.
 */
const mostEffort = 48;
const efforts = { p256: 1, ed25519: 1, p384: 10, p521: 24, other: mostEffort } as const;
const rsaBitsOfOneEffort = 4096;

function effortOf({ key }: Certificate): number {
  return key.kind === "rsa" ? Math.ceil(key.bits / rsaBitsOfOneEffort) ** 2 : efforts[key.kind];
}

/** Checks the path as a whole. Revocation comes last, since only here the signers of the lists are known to be trusted. */
function checkPath(certificates: readonly Certificate[], { trust, nowMillis }: PathRules): TrustedPath | string {
  const constrained = certificates.every(({ constraints }, i) => {
    if (constraints === undefined) return true;
    return certificates.slice(0, i).every(({ names }) => permits(constraints, names));
  });
  if (!constrained) return "one of the authorities may not certify a name in the certificate";
  let goodUntil = Math.min(...certificates.map(({ notAfter }) => notAfter));
  for (const [i, issuer] of certificates.slice(1).entries()) {
    const certificate = certificates[i];
    if (certificate === undefined) break;
    const revocation = revocationOf(certificate, issuer, { lists: trust.lists, nowMillis });
    if (revocation.is === "revoked") return "the certificate is revoked";
    if (revocation.is === "unknown") {
      return "the revocation status is unknown: the issuer's revocation list is out of date or not its own";
    }
    goodUntil = Math.min(goodUntil, revocation.goodUntil);
  }
  return { certificates, goodUntil };
}

function maySign({ isAuthority, keyUsages, pathLength, extendedUsages }: Certificate, below: number): boolean {
  const signs = keyUsages === undefined || (keyUsages & keyUsage.keyCertSign) !== 0;
  const isDeepEnough = pathLength === undefined || below <= pathLength;
  return isAuthority && signs && isDeepEnough && isForServers({ extendedUsages });
}

const serverAuth = "1.3.6.1.5.5.7.3.1";

/** As in OpenSSL, "any usage" does not include this one. */
export function isForServers({ extendedUsages }: Pick<Certificate, "extendedUsages">): boolean {
  return extendedUsages?.includes(serverAuth) ?? true;
}

export function isInDate({ notBefore, notAfter }: Certificate, nowMillis: number): boolean {
  return notBefore <= nowMillis && nowMillis <= notAfter;
}

/** Whether the key is small enough, and the certificate has no restriction that is not supported. */
export function isFit({ key, extensions }: Certificate, config: ChainConfig): boolean {
  const isSmallEnough = key.kind !== "rsa" || key.bits <= config.certificateRsaBits;
  return (
    isSmallEnough &&
    extensions.every(({ oid, critical }) => !restricting.has(oid) && (!critical || understood.has(oid)))
  );
}

/** Extensions that restrict a certificate even if not marked critical, and that are not evaluated here. */
const restricting = new Set([
  "2.16.840.1.113730.1.1", // Netscape certificate type
  "2.5.29.36", // policy constraints
]);

const understood = new Set<string>([
  ...Object.values(extensionIds),
  "2.5.29.14", // subject key identifier
  "2.5.29.31", // where revocation lists are
  "2.5.29.32", // policies
  "2.5.29.35", // authority key identifier
]);
