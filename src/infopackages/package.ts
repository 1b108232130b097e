import { RelayError } from "../protocol/errors.js";

/**
 * The three kinds of packages. `sealed`: the client encrypts, and the uploading device revokes. `revocable`: the client
 * encrypts, and the holder of the token revokes. `plain`: the server encrypts, and the uploading device revokes. A package
 * cannot be read as another kind.
 */
export type Kind = "sealed" | "revocable" | "plain";

/** The content of a package, as the uploader declares it. */
export type PackageType = "identity" | "group_invite";

/** How long a package lives and how often it can be downloaded; null means without limit. */
export interface Terms {
  ttlSeconds: number;
  maxUses: number | null;
}

/** A package as it is stored. Times are Unix seconds. */
export interface StoredPackage {
  segment: string;
  kind: Kind;
  ciphertext: Uint8Array;
  packageType: PackageType | null;
  createdAt: number;
  expiresAt: number;
  maxUses: number | null;
  /** The device that uploaded it; null for the kind `revocable`, whose uploader is unknown. */
  uploader: string | null;
  revocationHash: Uint8Array | null;
  /** The bytes that it takes of the space for packages without an uploader; 0 if it has one. */
  chargedBytes: number;
}

/** The bytes that a package is charged besides its ciphertext, so that small and used-up packages are not free. */
export const packageRowBytes = 256;

/** A download, and the uses that are left after it. */
export interface Download {
  ciphertext: Uint8Array;
  packageType: PackageType | null;
  createdAt: number;
  expiresAt: number;
  usesRemaining: number | null;
}

export function packageNotFound(): RelayError {
  return new RelayError("NOT_FOUND", "there is no such info package");
}
