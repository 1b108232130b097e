import { createLruCache } from "../platform/lru-cache.js";
import type { Certificate } from "./certificate.js";
import { extensionIds, keyUsage, opens } from "./certificate.js";
import { permits } from "./certificate-names.js";
import { revocationOf } from "./revocation.js";
import type { Trust } from "./trust-store.js";

/** The rules for a path. */
export interface PathRules {
  trust: Pick<Trust, "anchorsOf" | "lists">;
  nowMillis: number;
}

/** A path from a server's certificate to a trusted authority. */
export interface TrustedPath {
  /** The leaf, then each issuer, the trusted authority last. */
  certificates: readonly Certificate[];
  /** When the first certificate or revocation list of the path expires, in Unix milliseconds. */
  goodUntil: number;
}

/**
 * Searches for a path through the intermediates that were sent (RFC 5280, section 6, without policies). Names, dates,
 * usages and keys lead upwards from the leaf, the shortest paths first. Signatures are checked from the trusted
 * authority downwards, each pair of certificate and issuer once, so nothing is computed with a certificate's key before
 * the certificate is trusted. The generator yields before each signature check, because these take most of the time. If
 * there is no path, the result is a text with the reason.
 */
export function* findPath(
  chain: { leaf: Certificate; intermediates: readonly Certificate[] },
  rules: PathRules,
): Generator<undefined, TrustedPath | string> {
  const search: Search = { rules, effort: maxEffort, waste: maxWaste, refuted: new Set() };
  const intermediates = chain.intermediates.filter(({ subject, issuer }) => subject !== issuer);
  const paths: Path[] = [[chain.leaf]];
  let problem: string | undefined;
  for (const path of paths) {
    const last = path[path.length - 1] as Certificate;
    for (const anchor of anchorsOf(last, search)) {
      const whole = [...path, anchor];
      if (!mayIssue(anchor, path, rules) || !(yield* isSigned(whole, search))) continue;
      const checked = checkPath(whole, rules);
      if (typeof checked !== "string") return checked;
      problem ??= checked;
    }
    for (const issuer of intermediates) {
      if (last.issuer !== issuer.subject || path.includes(issuer) || !mayIssue(issuer, path, rules)) continue;
      paths.push([...path, issuer]);
    }
    if (paths.length > maxPaths) search.waste = -1;
    if (isSpent(search)) return problem ?? "the certificate chain takes too many signature checks";
  }
  return problem ?? noPathFound;
}

export const noPathFound = "the certificate is not from a trusted authority";

/** The leaf, then each issuer. */
type Path = readonly Certificate[];

interface Search {
  rules: PathRules;
  /** The effort left for signature checks. Below zero, no more checks are made. */
  effort: number;
  /** The effort left for dead ends. Below zero, the search ends. */
  waste: number;
  /** The pairs of certificate and issuer whose signature is wrong. */
  refuted: Set<string>;
}

function isSpent({ effort, waste }: Search): boolean {
  return effort < 0 || waste < 0;
}

/** The trusted authorities that may have issued a certificate, which must be parsed to find them. */
function anchorsOf(certificate: Certificate, search: Search): Certificate[] {
  search.waste -= parsingEffort;
  return isSpent(search) || !opens(certificate) ? [] : search.rules.trust.anchorsOf(certificate);
}

/** Whether the fields of an authority allow that it issued the last certificate of a path. */
function mayIssue(issuer: Certificate, path: Path, { nowMillis }: PathRules): boolean {
  return maySign(issuer, path.length - 1) && isInDate(issuer, nowMillis) && isFit(issuer);
}

/** Checks the signatures of a path that ends with a trusted authority. */
function* isSigned(path: Path, search: Search): Generator<undefined, boolean> {
  for (let i = path.length - 1; i > 0; i--) {
    const [certificate, issuer] = [path[i - 1] as Certificate, path[i] as Certificate];
    if (!(yield* isIssuedBy(certificate, issuer, search))) return false;
  }
  return true;
}

/** The issuer is trusted. */
function* isIssuedBy(certificate: Certificate, issuer: Certificate, search: Search): Generator<undefined, boolean> {
  if (certificate.signatureAlgorithm === undefined || !certificate.node.checkIssued(issuer.node)) return false;
  const pair = `${certificate.id} ${issuer.id}`;
  if (verified.has(pair)) return true;
  if (search.refuted.has(pair)) return false;
  const effort = effortOf(issuer);
  search.effort -= effort;
  if (isSpent(search)) return false;
  yield;
  if (certificate.node.verify(issuer.publicKey)) {
    verified.set(pair, true);
    return true;
  }
  search.refuted.add(pair);
  search.waste -= 2 * effort;
  return false;
}

/**
 * Pairs of a certificate and the trusted issuer that signed it. Most peers have one of a few dozen intermediates. Only
 * keys of trusted authorities can fill this cache.
 */
const verified = createLruCache<string, true>(2_000);

/** The number of paths that a search may follow. A usual chain has one path; a few decoys make no difference. */
const maxPaths = 32;

/**
 * The effort of signature checks, in units of one check with P-256 or RSA of 2048 bits (about 50 microseconds). OpenSSL has
 * no fast code for the larger curves. The limit allows two issuers of the slowest kind, and any usual chain that fits.
 */
const maxEffort = 48;
const efforts = { p256: 1, ed25519: 1, p384: 10, p521: 24, other: maxEffort } as const;
const rsaBitsOfOneEffort = 4096;

/**
 * Allows for as many certificates as are sent, each of which OpenSSL parses, and for some wrong signatures by fast
 * keys. A wrong signature by a slow key ends the search, because usual chains contain no wrong signatures.
 */
const maxWaste = 18;
const parsingEffort = 2;

function effortOf({ key }: Certificate): number {
  return key.kind === "rsa" ? Math.ceil(key.bits / rsaBitsOfOneEffort) ** 2 : efforts[key.kind];
}

/**
 * Checks the path as a whole. Revocation comes last, because only then are the signers of the lists known to be
 * trusted.
 */
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

/** As in OpenSSL, "any usage" does not include server authentication. */
export function isForServers({ extendedUsages }: Pick<Certificate, "extendedUsages">): boolean {
  return extendedUsages?.includes(serverAuth) ?? true;
}

export function isInDate({ notBefore, notAfter }: Certificate, nowMillis: number): boolean {
  return notBefore <= nowMillis && nowMillis <= notAfter;
}

/** A larger key takes too long to verify. */
const maxRsaBits = 4096;

/** Whether the key is small enough, and the certificate has no unsupported restriction. */
export function isFit({ key, extensions }: Certificate): boolean {
  const isSmallEnough = key.kind !== "rsa" || key.bits <= maxRsaBits;
  return (
    isSmallEnough &&
    extensions.every(({ oid, critical }) => !restricting.has(oid) && (!critical || understood.has(oid)))
  );
}

/** Extensions that restrict a certificate even if they are not marked critical, and that are not evaluated here. */
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
