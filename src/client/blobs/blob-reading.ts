// How a file is downloaded and decrypted: loaded when the first one is.

import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import { downloadIdBytes } from "../../protocol/identifiers.js";
import { AnswerError, ConnectionError, isAnswer } from "../connection/failures.js";
import { defaultRetries, fullJitter, type RetryPolicy } from "../connection/retry.js";
import { callBack } from "../runtime/callbacks.js";
import { type Runtime, runtimeWith } from "../runtime/runtime.js";
import { blobSizes, ChunkOpener } from "./blob-encryption.js";
import { BlobError, type BlobReference } from "./blob-references.js";
import { type ArrivingBytes, getBytes } from "./blob-requests.js";

export interface BlobDownloadOptions {
  /** Ends the stream with the signal's reason. */
  signal?: AbortSignal;
  /** Called with the bytes of the file that were checked so far. Its exceptions are ignored. */
  onProgress?: (readBytes: number, totalBytes: number) => void;
  retries?: Partial<RetryPolicy>;
  runtime?: Partial<Runtime>;
}

type Downloading = BlobDownloadOptions & { signal: AbortSignal };

export async function* readBlob(reference: BlobReference, options: Downloading): AsyncGenerator<Uint8Array, undefined> {
  const { file_size: fileSize, plaintext_hash: plaintextHash } = reference;
  const key = decodeHex(reference.key) ?? new Uint8Array(0);
  const opener = new ChunkOpener(
    { key, fileSize, plaintextHash },
    (what) => new BlobError("changed", `is damaged: ${what}`),
  );
  let chunk = new Uint8Array(opener.nextBytes);
  let filled = 0;
  let readBytes = 0;
  for await (const arrived of sealedBytes(reference, options)) {
    for (let at = 0; at < arrived.length; ) {
      const length = Math.min(arrived.length - at, chunk.length - filled);
      chunk.set(arrived.subarray(at, at + length), filled);
      at += length;
      filled += length;
      if (filled < chunk.length) continue;
      const content = opener.open(chunk);
      chunk = new Uint8Array(opener.nextBytes);
      filled = 0;
      readBytes += content.length;
      if (opener.nextBytes === 0) opener.finish();
      if (content.length > 0) yield content;
      callBack(options.onProgress, [readBytes, fileSize]);
    }
  }
  return undefined;
}

/** All bytes of the blob in order, over as many connections as it takes. */
async function* sealedBytes(reference: BlobReference, options: Downloading): AsyncGenerator<Uint8Array> {
  const runtime = runtimeWith(options.runtime);
  const policy = { ...defaultRetries, ...options.retries };
  const { sealed } = blobSizes(reference.file_size);
  const downloadId = encodeHex(runtime.randomBytes(downloadIdBytes));
  let offset = 0;
  for (let tried = 1; offset < sealed; tried++) {
    const before = offset;
    try {
      const arriving = await request(reference, { offset, downloadId, runtime, signal: options.signal });
      for await (const bytes of fromOffset(arriving, { offset, sealed })) {
        offset += bytes.length;
        yield bytes;
      }
      if (offset < sealed) throw new ConnectionError("downloadBlob", new Error("the answer ended early"));
    } catch (failure) {
      if (offset > before) tried = 1;
      const wait = waitBefore(failure, tried, { policy, runtime });
      if (wait === undefined)
        throw isAnswer(failure, "NOT_FOUND") ? new BlobError("gone", "does not exist any more") : failure;
      await runtime.sleep(wait, options.signal);
    }
  }
}

interface Request {
  offset: number;
  downloadId: string;
  runtime: Runtime;
  signal: AbortSignal;
}

function request({ url }: BlobReference, { offset, downloadId, runtime, signal }: Request): Promise<ArrivingBytes> {
  const headers = { "x-download-id": downloadId, ...(offset > 0 && { range: `bytes=${offset}-` }) };
  return getBytes({ operation: "downloadBlob", url, headers, signal, runtime });
}

/** What arrives, from the offset on: a server that does not know ranges begins at the start. */
async function* fromOffset(
  { response, chunks, end }: ArrivingBytes,
  { offset, sealed }: { offset: number; sealed: number },
): AsyncGenerator<Uint8Array> {
  const [, first = "0", total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
  const size = response.status === 206 ? total : (response.headers.get("content-length") ?? undefined);
  let left = sealed - offset;
  let skip = offset - Number(first);
  try {
    if (skip < 0 || (size !== undefined && Number(size) !== sealed)) throw new BlobError("changed", "has another size");
    for await (const chunk of chunks) {
      const from = Math.min(skip, chunk.length);
      skip -= from;
      const bytes = chunk.subarray(from);
      left -= bytes.length;
      if (left < 0) throw new BlobError("changed", "has another size");
      if (bytes.length > 0) yield bytes;
    }
  } finally {
    end();
  }
}

/** How long to wait before the download is continued, in milliseconds; undefined if it is given up. */
function waitBefore(
  failure: unknown,
  tried: number,
  { policy, runtime }: { policy: RetryPolicy; runtime: Runtime },
): number | undefined {
  if (tried >= policy.attempts) return undefined;
  const mayPass =
    failure instanceof ConnectionError || (failure instanceof AnswerError && [429, 503].includes(failure.status));
  const seconds = failure instanceof AnswerError ? (failure.retryAfterSeconds ?? 0) : 0;
  if (!mayPass || seconds > policy.longestWaitSeconds) return undefined;
  return seconds * 1000 + fullJitter(tried, policy, runtime);
}
