import { RelayError } from "../../protocol/errors.js";
import { type Certificate, parseCertificate } from "./certificate.js";
import { type ChainConfig, pathOfChain, problemOfLeaf, readIntermediates, splitChain } from "./certificate-chain.js";
import type { TrustedPath } from "./certificate-path.js";
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
