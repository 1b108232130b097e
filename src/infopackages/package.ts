import type { Config } from "../platform/config/config.js";
import { invalidMember } from "../protocol/errors.js";

/**
 * The three kinds of packages, by who encrypts and who revokes: `sealed` by the client and its device, `revocable` by
 * the client and whoever has the token, `plain` by the server and the uploading device. None can be read as another.
 */
export type Kind = "sealed" | "revocable" | "plain";

/** What the package holds, as far as the uploader tells. */
export type PackageType = "identity" | "group_invite";

/** How long a package lives and how often it can be downloaded; null is any number of times. */
export interface Terms {
  ttlSeconds: number;
  maxUses: number | null;
}

/** A package as it is kept. Times are Unix seconds. */
export interface StoredPackage {
  segment: string;
  kind: Kind;
  ciphertext: Uint8Array;
  packageType: PackageType | null;
  createdAt: number;
  expiresAt: number;
  maxUses: number | null;
  /** The device that uploaded it; null where a token revokes it, and nothing is known of the uploader. */
  uploader: string | null;
  revocationHash: Uint8Array | null;
  /** What it takes of the space for packages without an uploader; 0 where there is one. */
  chargedBytes: number;
}

/** What a package is charged besides its ciphertext, so that many small ones, or used-up ones, are not free. */
export const packageRowBytes = 256;

/** A download, with what is left after it. */
export interface Download {
  ciphertext: Uint8Array;
  packageType: PackageType | null;
  createdAt: number;
  expiresAt: number;
  usesRemaining: number | null;
}

export type TermsConfig = Pick<Config, "infoPackageMinTtlSeconds" | "infoPackageMaxTtlSeconds" | "infoPackageMaxUses">;

/** The server's own bounds, which may be narrower than the contract's. Throws INVALID_CONFIG. */
export function checkTerms({ ttlSeconds, maxUses }: Terms, config: TermsConfig): void {
  const { infoPackageMinTtlSeconds: shortest, infoPackageMaxTtlSeconds: longest } = config;
  if (ttlSeconds < shortest || ttlSeconds > longest) {
    throw invalidMember("ttl_seconds", `must be from ${shortest} to ${longest}`, { id: "INVALID_CONFIG" });
  }
  if (maxUses !== null && (maxUses < 1 || maxUses > config.infoPackageMaxUses)) {
    throw invalidMember("max_uses", `must be from 1 to ${config.infoPackageMaxUses}`, { id: "INVALID_CONFIG" });
  }
}
