/** Where the bytes of a blob are in the storage, and how they are divided. */
export interface BlobLayout {
  /** SHA-256 of the blob's id, as hex: whoever reads the disk cannot ask the relay for the blob. */
  name: string;
  size: number;
  /** The size of every part but the last one. */
  partBytes: number;
  /** What the storage calls the upload; null if it needs no name. */
  uploadReference: string | null;
}

/** A range of bytes, both ends included. */
export interface ByteRange {
  first: number;
  last: number;
}

export function partCount({ size, partBytes }: BlobLayout): number {
  return Math.ceil(size / partBytes);
}

/** The bytes of a part. */
export function partSize({ size, partBytes }: BlobLayout, part: number): number {
  return Math.min(partBytes, size - part * partBytes);
}
