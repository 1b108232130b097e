import type { BlobLayout, ByteRange } from "./layout.js";

export interface GivenPart {
  part: number;
  digest: Uint8Array;
  chunks: AsyncIterable<Uint8Array>;
}

/** Where the bytes of blobs are. It knows no rules: the service decides who may do what. */
export interface BlobStorage {
  /** Throws if the storage cannot be used. May be repeated. */
  start(): Promise<void>;
  stop(): Promise<void>;
  partBytesFor(size: number): number;
  /** Bytes that are free; null if the storage cannot tell. */
  freeBytes(): Promise<number | null>;
  /** Prepares an upload; returns its name in the storage, if it has one. */
  begin(name: string): Promise<string | null>;
  /**
   * Stores a part, unless `chunks` throws, which it does if the bytes do not have the digest (SHA-256). The part survives a crash
   * once the promise is fulfilled, and replaces the bytes that it had. Nothing is kept if the parts have been joined meanwhile,
   * or the upload has been removed.
   */
  putPart(layout: BlobLayout, given: GivenPart): Promise<"stored" | "joined" | "removed">;
  /** The numbers of the stored parts, in ascending order. */
  storedParts(layout: BlobLayout): Promise<number[]>;
  /** Joins the parts; returns false if some are missing. May be repeated. The blob survives a crash then. */
  complete(layout: BlobLayout): Promise<boolean>;
  /** Opens a complete blob; undefined if its bytes are not there. */
  open(layout: BlobLayout, range: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Where clients read a complete blob themselves, for a few minutes; null if its bytes pass the relay. */
  address(layout: BlobLayout): Promise<string | null>;
  /** Removes all bytes of a blob, complete or not. May be repeated. */
  remove(layout: BlobLayout): Promise<void>;
  /**
   * Removes blobs whose last part is from before a time (Unix seconds), for instance those that a restored database does not
   * know. Each call looks at a part of the storage; `turn` says which.
   */
  removeOlderThan(seconds: number, turn: number): Promise<void>;
}
