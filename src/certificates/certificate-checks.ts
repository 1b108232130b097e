import { setImmediate as nextRound } from "node:timers/promises";
import { RelayError } from "../protocol/errors.js";
import { kibibyte } from "../protocol/units.js";
import { type Certificate, keyUsage, parseCertificate, parseFields } from "./certificate.js";
import { findPath, isFit, isForServers, isInDate, type PathRules, type TrustedPath } from "./certificate-path.js";
import { derElements, derTags } from "./der.js";
import type { Trust } from "./trust-store.js";

/** What a certificate is checked against. If `trust` is null, it may be issued by anyone. */
interface WantedCertificate {
  host: string;
  trust: Pick<Trust, "anchorsOf" | "lists"> | null;
  nowMillis: number;
}

/** A certificate that passed the checks. */
export interface AcceptedCertificate {
  leaf: Certificate;
  /** Null if the issuer was not checked. */
  path: TrustedPath | null;
}

/** Checks certificates of callers one at a time and in slices, so that other work waits for at most one slice. */
export type CertificateChecks = ReturnType<typeof createCertificateChecks>;

/** Each check takes a few milliseconds at most. */
const maxWaiting = 100;
const maxChainBytes = 32 * kibibyte;
export const maxIntermediates = 5;

export function createCertificateChecks() {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  return {
    /**
     * The accepted certificate of a chain, or a text with the reason for its rejection. `checkKey` runs last, so a key
     * that nobody vouches for costs nothing. It returns a problem if the caller does not have the key. Throws OVERLOADED.
     */
    async check(
      chain: Uint8Array,
      wanted: WantedCertificate,
      checkKey?: (leaf: Certificate) => Promise<string | undefined>,
    ): Promise<AcceptedCertificate | string> {
      if (waiting >= maxWaiting) throw new RelayError("OVERLOADED", "too many certificates are being checked");
      waiting += 1;
      const checking = last.then(() => checkChain(chain, { ...wanted, checkKey }));
      last = checking.catch(() => undefined).finally(() => (waiting -= 1));
      return checking;
    },
  };
}

interface Check extends WantedCertificate {
  checkKey: ((leaf: Certificate) => Promise<string | undefined>) | undefined;
}

async function checkChain(chain: Uint8Array, check: Check): Promise<AcceptedCertificate | string> {
  const { trust, nowMillis } = check;
  const parts = splitChain(chain);
  if (typeof parts === "string") return parts;
  const [first, ...others] = parts;
  const leaf = parseCertificate(first ?? Buffer.alloc(0));
  if (typeof leaf === "string") return leaf;
  const problem = problemOfLeaf(leaf, check.host, { trust, nowMillis });
  if (problem !== undefined) return problem;
  const path = trust === null ? null : await pathOfChain({ leaf, others }, { trust, nowMillis });
  if (typeof path === "string") return path;
  return (await check.checkKey?.(leaf)) ?? { leaf, path };
}

/** A server's certificate and the intermediates it sent, in any order. */
interface CertificateChain {
  leaf: Certificate;
  intermediates: readonly Certificate[];
}

/** The rules for chains. If `trust` is null, the issuer is not checked, but names, dates and usage are. */
type ChainRules = Omit<PathRules, "trust"> & { trust: PathRules["trust"] | null };

/**
 * Splits concatenated DER into certificates, leaf first, without parsing them. If it cannot, returns a text with the
 * reason.
 */
function splitChain(bytes: Uint8Array): Buffer[] | string {
  if (bytes.length > maxChainBytes) return "the certificate chain is too large";
  const parts = derElements(Buffer.from(bytes), 1 + maxIntermediates);
  if (parts === undefined || parts.length === 0 || parts.some(({ tag }) => tag !== derTags.sequence)) {
    return "the certificate chain is malformed or too long";
  }
  return parts.map(({ whole }) => whole);
}

/**
 * Why a server with this chain is not accepted as `host`, or undefined if it is. Checks the name, dates and usage of
 * its certificate, then looks for a path of authorities to a trusted one. Each authority must be allowed to sign, in
 * date, and not revoked.
 */
export function problemOfChain(chain: CertificateChain, host: string, rules: ChainRules): string | undefined {
  const problem = problemOfLeaf(chain.leaf, host, rules);
  if (problem !== undefined || rules.trust === null) return problem;
  const steps = findPath(chain, { ...rules, trust: rules.trust });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return typeof step.value === "string" ? step.value : undefined;
}

/**
 * The path of a chain whose leaf passed, with the others in DER. If there is none, returns a text with the reason.
 * Yields to other work between steps.
 */
async function pathOfChain(
  { leaf, others }: { leaf: Certificate; others: readonly Buffer[] },
  rules: PathRules,
): Promise<TrustedPath | string> {
  await nextRound();
  const intermediates: Certificate[] = [];
  for (const part of others) {
    const read = parseFields(part);
    if (typeof read === "string") return read;
    intermediates.push(read);
  }
  const steps = findPath({ leaf, intermediates }, rules);
  let step = steps.next();
  while (!step.done) {
    await nextRound();
    step = steps.next();
  }
  return step.value;
}

/** The problem with a server's own certificate, regardless of its issuer. Undefined if there is none. */
function problemOfLeaf(leaf: Certificate, host: string, rules: Pick<ChainRules, "nowMillis" | "trust">) {
  if (!isInDate(leaf, rules.nowMillis)) return "the certificate is expired or not yet valid";
  if (leaf.isAuthority) return "the certificate is that of an authority";
  const { keyUsages } = leaf;
  if (keyUsages !== undefined && !(keyUsages & keyUsage.digitalSignature))
    return "the certificate's key is not for signatures";
  if (!isForServers(leaf)) return "the certificate is not for servers";
  if (!isFit(leaf)) return "the certificate has a key or an extension that is not accepted";
  if (leaf.signatureAlgorithm === undefined) return "the certificate's signature is of a kind that is not accepted";
  if (leaf.names.length > maxNames || leaf.node.checkHost(host, nameRules) === undefined) {
    return "the certificate is for another domain";
  }
  return rules.trust !== null && leaf.subject === leaf.issuer ? "the certificate is self-signed" : undefined;
}

const maxNames = 250;

/** Names in the subject are ignored. A wildcard matches exactly one label. */
const nameRules = { subject: "never", partialWildcards: false, multiLabelWildcards: false } as const;
