import { setImmediate as nextRound } from "node:timers/promises";
import { RelayError } from "../../protocol/errors.js";
import { type Certificate, keyUsage, parseCertificate } from "./certificate.js";
import {
  type ChainConfig,
  findPath,
  isFit,
  isForServers,
  isInDate,
  type PathRules,
  type TrustedPath,
} from "./certificate-path.js";
import { derElements, derTags } from "./der.js";
import type { Trust } from "./trust-store.js";

/** What a certificate is checked for. `trust` null: no authority is asked for. */
export interface WantedCertificate {
  host: string;
  trust: Pick<Trust, "anchorsOf" | "lists"> | null;
  nowMillis: number;
}

/** A certificate that passed. */
export interface AcceptedCertificate {
  leaf: Certificate;
  /** Null where no authority was asked for. */
  path: TrustedPath | null;
}

/** Checks certificates of strangers: one at a time, in slices, so that other work waits for no more than one slice. */
export interface CertificateChecks {
  /**
   * The chain's certificate where it is in order, a text that says why not. `hasKey` is asked between the check of the
   * certificate itself and that of its authorities, and answers what is wrong with whoever shows it. Throws OVERLOADED.
   */
  check(
    chain: Uint8Array,
    wanted: WantedCertificate,
    hasKey?: (leaf: Certificate) => Promise<string | undefined>,
  ): Promise<AcceptedCertificate | string>;
}

/** Each takes a few milliseconds at most. */
const mostWaiting = 100;

export function createCertificateChecks({ config }: { config: ChainConfig }): CertificateChecks {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  return {
    async check(chain, wanted, hasKey) {
      if (waiting >= mostWaiting) throw new RelayError("OVERLOADED", "too many certificates are being checked");
      waiting += 1;
      const checking = last.then(() => checkChain(chain, { ...wanted, config, hasKey }));
      last = checking.catch(() => undefined).finally(() => (waiting -= 1));
      return checking;
    },
  };
}

interface Check extends WantedCertificate {
  config: ChainConfig;
  hasKey: ((leaf: Certificate) => Promise<string | undefined>) | undefined;
}

async function checkChain(chain: Uint8Array, check: Check): Promise<AcceptedCertificate | string> {
  const { trust, nowMillis, config } = check;
  const parts = splitChain(chain, config);
  if (typeof parts === "string") return parts;
  const [first, ...others] = parts;
  const leaf = parseCertificate(first ?? Buffer.alloc(0));
  if (typeof leaf === "string") return leaf;
  const problem = problemOfLeaf(leaf, check.host, { trust, nowMillis, config }) ?? (await check.hasKey?.(leaf));
  if (problem !== undefined) return problem;
  if (trust === null) return { leaf, path: null };
  const intermediates = await readIntermediates(others);
  if (typeof intermediates === "string") return intermediates;
  const path = await pathOfChain({ leaf, intermediates }, { trust, nowMillis, config });
  return typeof path === "string" ? path : { leaf, path };
}

export type { ChainConfig } from "./certificate-path.js";

/** A server's certificate and the intermediates that it sent along, in whatever order. */
export interface CertificateChain {
  leaf: Certificate;
  intermediates: readonly Certificate[];
}

/** What chains are measured by. `trust` null: no authority is asked for, but names, dates and usage hold. */
export type ChainRules = Omit<PathRules, "trust"> & { trust: PathRules["trust"] | null };

/** The certificates of concatenated DER, leaf first, not yet read. A text where they cannot be taken apart says why. */
export function splitChain(bytes: Uint8Array, config: ChainConfig): Buffer[] | string {
  if (bytes.length > config.certificateChainBytes) return "the certificate chain is too large";
  const parts = derElements(Buffer.from(bytes), 1 + config.certificateIntermediates);
  if (parts === undefined || parts.length === 0 || parts.some(({ tag }) => tag !== derTags.sequence)) {
    return "the certificate chain is malformed or too long";
  }
  return parts.map(({ whole }) => whole);
}

/**
 * Why a server that shows this chain is not `host`, or undefined where it is: name, dates and usage of its certificate,
 * then a path of authorities to a trusted one, each of which may sign and is neither out of date nor revoked.
 */
export function problemOfChain(chain: CertificateChain, host: string, rules: ChainRules): string | undefined {
  const problem = problemOfLeaf(chain.leaf, host, rules);
  if (problem !== undefined || rules.trust === null) return problem;
  const steps = findPath(chain, { ...rules, trust: rules.trust });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return typeof step.value === "string" ? step.value : undefined;
}

/** The path of a chain whose leaf is in order. A text says why there is none. Others have their turn between its steps. */
export async function pathOfChain(chain: CertificateChain, rules: PathRules): Promise<TrustedPath | string> {
  const steps = findPath(chain, rules);
  let step = steps.next();
  while (!step.done) {
    await nextRound();
    step = steps.next();
  }
  return step.value;
}

/** The intermediates of a chain, read one at a time so that others have their turn. A text says what is wrong. */
export async function readIntermediates(parts: readonly Buffer[]): Promise<Certificate[] | string> {
  const intermediates: Certificate[] = [];
  for (const part of parts) {
    await nextRound();
    const read = parseCertificate(part);
    if (typeof read === "string") return read;
    intermediates.push(read);
  }
  return intermediates;
}

/** What is wrong with a server's own certificate, whoever issued it. */
export function problemOfLeaf(
  leaf: Certificate,
  host: string,
  rules: Pick<ChainRules, "nowMillis" | "config" | "trust">,
) {
  if (!isInDate(leaf, rules.nowMillis)) return "the certificate is expired or not yet valid";
  if (leaf.isAuthority) return "the certificate is that of an authority";
  const { keyUsages } = leaf;
  if (keyUsages !== undefined && !(keyUsages & keyUsage.digitalSignature)) return "the key is not for signatures";
  if (!isForServers(leaf)) return "the certificate is not for servers";
  if (!isFit(leaf, rules.config)) return "the certificate has a key or an extension that is not accepted";
  if (leaf.signatureAlgorithm === undefined) return "the certificate's signature is of a kind that is not accepted";
  if (leaf.names.length > mostNames || leaf.node.checkHost(host, nameRules) === undefined) {
    return "the certificate is for another domain";
  }
  return rules.trust !== null && leaf.subject === leaf.issuer ? "the certificate is self-signed" : undefined;
}

const mostNames = 1_000;

/** Names in the subject do not count; a wildcard stands for one whole label. */
const nameRules = { subject: "never", partialWildcards: false, multiLabelWildcards: false } as const;
