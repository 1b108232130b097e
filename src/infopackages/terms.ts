import type { Config } from "../platform/config/config.js";
import { RelayError } from "../protocol/errors.js";
import type { Terms } from "./package.js";

export type TermsConfig = Pick<Config, "infoPackageMinTtlSeconds" | "infoPackageMaxTtlSeconds" | "infoPackageMaxUses">;

/** The server's own bounds, which may be narrower than the contract's. Throws INVALID_CONFIG. */
export function checkTerms({ ttlSeconds, maxUses }: Terms, config: TermsConfig): void {
  const { infoPackageMinTtlSeconds: shortest, infoPackageMaxTtlSeconds: longest } = config;
  if (ttlSeconds < shortest || ttlSeconds > longest) {
    throw invalidTerm("ttl_seconds", `must be from ${shortest} to ${longest}`);
  }
  if (maxUses !== null && (maxUses < 1 || maxUses > config.infoPackageMaxUses)) {
    throw invalidTerm("max_uses", `must be from 1 to ${config.infoPackageMaxUses}`);
  }
}

function invalidTerm(member: string, problem: string): RelayError {
  const details = [{ path: `body/${member}`, message: problem }];
  return new RelayError("INVALID_CONFIG", `${member} ${problem}`, { extras: { details } });
}
