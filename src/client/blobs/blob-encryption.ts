// How a file is encrypted into a blob, version 1. The file is padded with zeros to a size of Padmé and cut into chunks of
// 64 KiB. Each chunk is sealed by ChaCha20-Poly1305 under the file's key, which is used for nothing else. The nonce is the number
// of the chunk, 11 bytes, and a byte that is 1 for the last chunk and 0 for all others (the STREAM construction of Hoang,
// Reyhanitabar, Rogaway and Vizár, 2015, as in age). So no chunk can be changed, moved, repeated, cut off or added.

import { blake3 } from "@noble/hashes/blake3.js";
import { encodeHex } from "../../protocol/encodings.js";
import { decrypt, encrypt, tagBytes } from "../crypto/chacha.js";
import { paddedSize } from "../crypto/padding.js";
import { largestFile } from "./blob-references.js";

const chunkBytes = 64 * 1024;
const nonceBytes = 12;
const counterAt = 7;
const nothing = new Uint8Array(0);

/** The sizes that follow from that of the file. */
interface BlobSizes {
  padded: number;
  chunks: number;
  /** The size of the blob. */
  sealed: number;
}

/** The bytes of the blob, and what follows from them. Throws a RangeError if the file is too large. */
export function blobSizes(fileSize: number): BlobSizes {
  if (fileSize > largestFile) throw new RangeError(`a file in a blob has at most ${largestFile} bytes`);
  const padded = paddedSize(fileSize, Number.MAX_SAFE_INTEGER);
  const chunks = Math.ceil(padded / chunkBytes);
  return { padded, chunks, sealed: padded + chunks * tagBytes };
}

/** What was read of a file so far. */
export interface ReadFile {
  bytes: number;
  /** BLAKE3-256 of all of it, 64 hex digits. Call it once. */
  hash(): string;
}

/**
 * Encrypts a file chunk by chunk. `onRead` is called with what was read before each sealed chunk. Throws an Error if the source does
 * not have `fileSize` bytes.
 */
export async function* sealChunks(
  source: AsyncIterable<Uint8Array>,
  { key, fileSize, onRead = () => {} }: { key: Uint8Array; fileSize: number; onRead?: (read: ReadFile) => void },
): AsyncGenerator<Uint8Array> {
  const { padded, chunks } = blobSizes(fileSize);
  const hash = blake3.create();
  const read: ReadFile = { bytes: 0, hash: () => encodeHex(hash.digest()) };
  let chunk = new Uint8Array(Math.min(chunkBytes, padded));
  let filled = 0;
  let index = 0;
  const seal = (): Uint8Array => {
    const sealed = sealChunk(chunk, { key, index, isLast: index === chunks - 1 });
    index++;
    filled = 0;
    chunk = new Uint8Array(Math.max(0, Math.min(chunkBytes, padded - index * chunkBytes)));
    return sealed;
  };
  for await (const given of source) {
    if (read.bytes + given.length > fileSize) throw wrongSize(fileSize);
    hash.update(given);
    read.bytes += given.length;
    for (let at = 0; at < given.length; ) {
      const length = Math.min(given.length - at, chunk.length - filled);
      chunk.set(given.subarray(at, at + length), filled);
      filled += length;
      at += length;
      if (filled === chunk.length) {
        onRead(read);
        yield seal();
      }
    }
  }
  if (read.bytes < fileSize) throw wrongSize(fileSize);
  while (index < chunks) {
    onRead(read);
    yield seal();
  }
}

function wrongSize(fileSize: number): Error {
  return new Error(`the source does not have the ${fileSize} bytes that it says it has`);
}

interface ChunkPosition {
  key: Uint8Array;
  index: number;
  isLast: boolean;
}

function sealChunk(plaintext: Uint8Array, { key, index, isLast }: ChunkPosition): Uint8Array {
  const [ciphertext = nothing, tag] = encrypt({ key, nonce: nonceOf(index, isLast), bound: nothing }, plaintext);
  if (tag === undefined) return ciphertext;
  const sealed = new Uint8Array(ciphertext.length + tag.length);
  sealed.set(ciphertext);
  sealed.set(tag, ciphertext.length);
  return sealed;
}

function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(nonceBytes);
  new DataView(nonce.buffer).setUint32(counterAt, index);
  nonce[nonceBytes - 1] = isLast ? 1 : 0;
  return nonce;
}

interface WantedFile {
  key: Uint8Array;
  fileSize: number;
  /** BLAKE3-256 of the file, 64 hex digits in lower case. */
  plaintextHash: string;
}

/** Decrypts the chunks of a blob in order. Throws `changed()` at the first one that is not what was sealed. */
export class ChunkOpener {
  readonly #wanted: WantedFile;
  readonly #sizes: BlobSizes;
  readonly #hash = blake3.create();
  readonly #changed: (what: string) => Error;
  #index = 0;

  constructor(wanted: WantedFile, changed: (what: string) => Error) {
    this.#wanted = wanted;
    this.#sizes = blobSizes(wanted.fileSize);
    this.#changed = changed;
  }

  /** The size of the next sealed chunk; 0 if there is none. */
  get nextBytes(): number {
    const { padded, chunks } = this.#sizes;
    if (this.#index >= chunks) return 0;
    return Math.min(chunkBytes, padded - this.#index * chunkBytes) + tagBytes;
  }

  /** The bytes of the file in a sealed chunk, without the padding. */
  open(sealed: Uint8Array): Uint8Array {
    const { key, fileSize } = this.#wanted;
    const isLast = this.#index === this.#sizes.chunks - 1;
    const plaintext =
      sealed.length === this.nextBytes && decrypt({ key, nonce: nonceOf(this.#index, isLast), bound: nothing }, sealed);
    if (!plaintext) throw this.#changed("a chunk is not what was sealed");
    const begin = this.#index * chunkBytes;
    const length = Math.max(0, Math.min(plaintext.length, fileSize - begin));
    for (let at = length; at < plaintext.length; at++)
      if (plaintext[at] !== 0) throw this.#changed("the padding is not zero");
    this.#index++;
    // The `slice` of a Buffer would share its memory.
    const content = new Uint8Array(plaintext.subarray(0, length));
    this.#hash.update(content);
    return content;
  }

  /** Throws unless the whole file was opened, and is the one that the reference names. */
  finish(): void {
    if (this.nextBytes > 0) throw this.#changed("the end is missing");
    if (encodeHex(this.#hash.digest()) !== this.#wanted.plaintextHash) throw this.#changed("it is another file");
  }
}
