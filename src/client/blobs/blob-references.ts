import { encodeHex, parseHex } from "../../protocol/encodings.js";
import { type FileReference, readFileReference } from "../messages/file-references.js";
import { demandObject, demandParsed, MalformedError } from "../runtime/json-shape.js";

export const blobKeyBytes = 32;
/** The most bytes that a file can have in a blob. */
export const largestFile = 4_000_000_000;

/**
 * What a message carries so that its readers find a file, decrypt it and check it. Send it only in end-to-end encrypted content: it
 * holds the key.
 */
export interface BlobReference extends FileReference {
  /** `https://<relay>/v1/blobs/<64 hex digits>`. The relay may be another one than the reader's, and sees the reader's network address. */
  url: string;
  /** 64 hex digits. */
  key: string;
}

/** Why a blob cannot be read or continued: it is gone for good, or it is not what was uploaded. */
export class BlobError extends Error {
  readonly reason: "gone" | "changed";

  constructor(reason: "gone" | "changed", message: string) {
    super(`the blob ${message}`);
    this.name = "BlobError";
    this.reason = reason;
  }
}

/** Reads a reference from a message. Throws MalformedError. */
export function readBlobReference(value: unknown): BlobReference {
  const reference = demandObject(value, "the blob reference");
  const file = readFileReference(value);
  if (file.file_size > largestFile) throw new MalformedError("file_size is larger than a blob can be");
  return {
    ...file,
    url: demandParsed(reference["url"], parseBlobUrl, "url"),
    key: encodeHex(demandParsed(reference["key"], parseKey, "key")),
  };
}

/** The address in one spelling; undefined if it is not that of a blob, or not safe to call. */
export function parseBlobUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isSafe && isPlain && /\/v1\/blobs\/[0-9a-f]{64}$/.test(url.pathname) ? url.href : undefined;
}

/** The id of a blob in its address. */
export function blobIdOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

function parseKey(text: string): Uint8Array | undefined {
  const hex = parseHex(text, blobKeyBytes);
  return hex === undefined ? undefined : Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
