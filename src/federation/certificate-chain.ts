import "reflect-metadata";
import { ExtendedKeyUsage, KeyUsageFlags } from "@peculiar/x509";
import type { Config } from "../platform/config.js";
import { type Certificate, readCertificate } from "./certificate.js";
import { splitSequences } from "./der.js";
import { revocationOf } from "./revocation.js";
import type { Trust } from "./trust-store.js";

/** A server's certificate and the intermediates that it sent along, in whatever order. */
export interface CertificateChain {
  leaf: Certificate;
  intermediates: readonly Certificate[];
}

/** What chains are measured by. `trust` null: no authority is asked for, but names, dates and usage hold. */
export interface ChainRules {
  trust: Pick<Trust, "anchorsOf" | "lists"> | null;
  nowMillis: number;
  limits: ChainLimits;
}

export type ChainLimits = Pick<Config, "certificateChainBytes" | "certificateIntermediates" | "certificateRsaBits">;

/** The chain in concatenated DER, leaf first. A text where it cannot be read says why. */
export function readChain(bytes: Uint8Array, limits: ChainLimits): CertificateChain | string {
  if (bytes.length > limits.certificateChainBytes) return "the certificate chain is too large";
  const parts = splitSequences(bytes, 1 + limits.certificateIntermediates);
  if (parts === undefined || parts.length === 0) return "the certificate chain is malformed or too long";
  const [leaf, ...intermediates] = parts.map(readCertificate);
  if (leaf === undefined || intermediates.includes(undefined)) return "the certificate chain holds no certificates";
  return { leaf, intermediates: intermediates as Certificate[] };
}

/**
 * Why a server that shows this chain is not `host`, or undefined where it is: name, dates and usage of its certificate,
 * then a path of authorities to a trusted one, each of which may sign and is neither out of date nor revoked
 * (RFC 5280, section 6, without policies and name constraints: authorities that have constraints are not accepted).
 */
export function problemOfChain(chain: CertificateChain, host: string, rules: ChainRules): string | undefined {
  const { leaf } = chain;
  if (leaf.node.checkHost(host, nameRules) === undefined) return "the certificate is for another domain";
  if (!isInDate(leaf, rules.nowMillis)) return "the certificate is expired or not yet valid";
  const unfit = problemOfLeaf(leaf, rules.limits);
  if (unfit !== undefined || rules.trust === null) return unfit;
  if (leaf.subject === leaf.issuer) return "the certificate is self-signed";
  return problemOfPath({ chain, trust: rules.trust, rules, found: { revoked: false, unknown: false } });
}

/** Names in the subject do not count; a wildcard stands for one whole label. */
const nameRules = { subject: "never", partialWildcards: false, multiLabelWildcards: false } as const;

function problemOfLeaf(leaf: Certificate, limits: ChainLimits): string | undefined {
  if (leaf.isAuthority) return "the certificate is that of an authority";
  const { keyUsages, extendedUsages } = leaf;
  if (keyUsages !== undefined && !(keyUsages & KeyUsageFlags.digitalSignature)) return "the key is not for signatures";
  const serves = extendedUsages?.some((usage) => usage === ExtendedKeyUsage.serverAuth || usage === anyUsage) ?? true;
  if (!serves) return "the certificate is not for servers";
  return isAcceptable(leaf, limits) ? undefined : "the certificate's key or signature is not acceptable";
}

/** Looks for a path upwards, depth first, over the intermediates that were sent. */
function problemOfPath(search: Search): string | undefined {
  const { chain, found } = search;
  if (leadsUp({ certificate: chain.leaf, below: 0, used: [] }, search)) return undefined;
  if (found.revoked) return "the certificate is revoked";
  if (found.unknown) return "whether the certificate is revoked is not known: the issuer's list is out of date";
  return "the certificate is not from a trusted authority";
}

interface Step {
  certificate: Certificate;
  /** Authorities between this certificate and the leaf, itself included. */
  below: number;
  used: readonly Certificate[];
}

interface Search {
  chain: CertificateChain;
  trust: Pick<Trust, "anchorsOf" | "lists">;
  rules: ChainRules;
  found: { revoked: boolean; unknown: boolean };
}

function leadsUp(step: Step, search: Search): boolean {
  const { rules, chain, trust } = search;
  if (trust.anchorsOf(step.certificate).some((anchor) => isIssuedBy(step, anchor, search))) return true;
  return chain.intermediates.some((issuer) => {
    if (step.used.includes(issuer) || issuer.subject === issuer.issuer) return false;
    if (!isAcceptable(issuer, rules.limits) || !isIssuedBy(step, issuer, search)) return false;
    return leadsUp({ certificate: issuer, below: step.below + 1, used: [...step.used, issuer] }, search);
  });
}

function isIssuedBy({ certificate, below }: Step, issuer: Certificate, { trust, rules, found }: Search): boolean {
  const { nowMillis } = rules;
  if (certificate.issuer !== issuer.subject || !certificate.node.checkIssued(issuer.node)) return false;
  if (!maySign(issuer, below) || !isInDate(issuer, nowMillis)) return false;
  if (!certificate.node.verify(issuer.publicKey)) return false;
  const revocation = revocationOf(certificate, issuer, { lists: trust.lists, nowMillis });
  if (revocation === "revoked") found.revoked = true;
  if (revocation === "unknown") found.unknown = true;
  return revocation === "good";
}

function maySign(
  { isAuthority, keyUsages, pathLength, extendedUsages, criticalExtensions }: Certificate,
  below: number,
) {
  const signs = keyUsages === undefined || (keyUsages & KeyUsageFlags.keyCertSign) !== 0;
  const forServers =
    extendedUsages?.some((usage) => usage === ExtendedKeyUsage.serverAuth || usage === anyUsage) ?? true;
  const isDeepEnough = pathLength === undefined || below <= pathLength;
  return isAuthority && signs && forServers && isDeepEnough && criticalExtensions.every(isUnderstood);
}

function isInDate({ notBefore, notAfter }: Certificate, nowMillis: number): boolean {
  return notBefore <= nowMillis && nowMillis <= notAfter;
}

const smallestRsaBits = 2048;
const curves = new Set(["prime256v1", "secp384r1", "secp521r1"]);
const brokenHashes = new Set(["md5", "sha1"]);

/** Ed25519, the three NIST curves, or RSA of a fair size; no signature over a broken hash. */
function isAcceptable(certificate: Certificate, limits: ChainLimits): boolean {
  const { publicKey, signatureHash, criticalExtensions } = certificate;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
  const bits = details?.modulusLength ?? 0;
  const isRsa = type === "rsa" && bits >= smallestRsaBits && bits <= limits.certificateRsaBits;
  const isCurve = type === "ec" && curves.has(details?.namedCurve ?? "");
  const isFit = isRsa || isCurve || type === "ed25519";
  return isFit && !brokenHashes.has(signatureHash) && criticalExtensions.every(isUnderstood);
}

const anyUsage = "2.5.29.37.0";
const understood = new Set([
  "2.5.29.14", // subject key identifier
  "2.5.29.15", // key usage
  "2.5.29.17", // subject alternative name
  "2.5.29.19", // basic constraints
  "2.5.29.31", // where revocation lists are
  "2.5.29.32", // policies
  "2.5.29.35", // authority key identifier
  "2.5.29.37", // extended key usage
]);

function isUnderstood(extension: string): boolean {
  return understood.has(extension);
}
