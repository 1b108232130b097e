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
