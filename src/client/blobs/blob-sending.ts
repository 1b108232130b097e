// How a file is encrypted and uploaded: loaded when the first one is.

import { sha256 } from "@noble/hashes/sha2.js";
import { calls } from "../../../generated/calls.js";
import { decodeHex, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { daySeconds } from "../../protocol/units.js";
import { AnswerError, ConnectionError, isAnswer } from "../connection/failures.js";
import { defaultRetries, withRetries } from "../connection/retry.js";
import type { DeviceClient } from "../device/client.js";
import { formatFileId, newFileUuid } from "../messages/file-references.js";
import { callBack } from "../runtime/callbacks.js";
import type { Runtime } from "../runtime/runtime.js";
import { blobSizes, type ReadFile, sealChunks } from "./blob-encryption.js";
import { BlobError, type BlobReference, blobIdOf, blobKeyBytes } from "./blob-references.js";
import { putBytes } from "./blob-requests.js";

/** A file. `stream` may be called again to continue an upload after a crash, and must then give the same bytes. */
export type BlobSource = Uint8Array | Blob | { readonly size: number; stream(): ReadableStream<Uint8Array> };

/** How far an upload is. It can be stored as JSON, and is as secret as the file: it holds the key. */
export interface BlobUploadState {
  url: string;
  file_id: string;
  file_size: number;
  key: string;
  upload_token: string;
  delete_token: string;
  part_bytes: number;
  /** Unix seconds. */
  expires_at: number;
  /** SHA-256 of each part that was sent or is about to be, in base64. */
  digests: string[];
}

export interface BlobUploadOptions {
  /** After how long the blob ends, from a minute to 90 days. The default is 30 days. */
  lifetimeSeconds?: number;
  /** After how many downloads the blob ends. The default is any number. */
  maxDownloads?: number;
  /** Called with bytes of the file whose parts the relay has stored. Its exceptions are ignored. */
  onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Aborts the upload, which then throws the signal's reason. */
  signal?: AbortSignal;
  /** Called, and awaited, before each part is sent. Store the state to continue the upload after a crash. An exception ends the upload. */
  onState?: (state: BlobUploadState) => void | Promise<void>;
  /** Continues the upload of the same file. Throws a BlobError with the reason `gone` if it was away for more than an hour, or for ten minutes before the first part. */
  resume?: BlobUploadState;
}

/** An uploaded file. Keep the delete token to delete the blob before it ends. */
export interface UploadedBlob {
  reference: BlobReference;
  /** 64 hex digits. */
  deleteToken: string;
  /** Unix seconds. */
  expiresAt: number;
}

const usualLifetimeSeconds = 30 * daySeconds;

export async function sendBlob(
  device: DeviceClient,
  source: BlobSource,
  { fileSize, ...options }: BlobUploadOptions & { fileSize: number },
): Promise<UploadedBlob> {
  const { signal, onProgress, onState, resume } = options;
  const state = resume === undefined ? await begin(device, fileSize, options) : structuredClone(resume);
  if (state.file_size !== fileSize) throw otherSource();
  const stored = resume === undefined ? new Set<number>() : await storedParts(device, state, signal);
  const relay = { url: state.url, runtime: device.connection.runtime, signal, token: state.upload_token };

  let read: ReadFile | undefined;
  let part = 0;
  const key = decodeHex(state.key) ?? new Uint8Array(0);
  const onRead = (now: ReadFile) => {
    read = now;
  };
  const sealed = sealChunks(bytesOf(source, signal), { key, fileSize, onRead });
  for await (const bytes of inParts(sealed, { partBytes: state.part_bytes, total: blobSizes(fileSize).sealed })) {
    signal?.throwIfAborted();
    const digest = encodeBase64(await sha256Of(bytes));
    const earlier = state.digests[part];
    // Other bytes under the same key and nonce would reveal both.
    if (earlier !== undefined && earlier !== digest) throw otherSource();
    if (earlier === undefined) {
      state.digests.push(digest);
      await onState?.(structuredClone(state));
    }
    if (stored !== "all" && !stored.has(part)) await sendPart(relay, { part, bytes, digest });
    part++;
    callBack(onProgress, [read?.bytes ?? 0, fileSize]);
  }
  if (read === undefined) throw new Error("nothing was read");
  const headers = { "X-Upload-Token": state.upload_token };
  const path = { blob_id: blobIdOf(state.url) };
  const done = await ifNotGone(device.connection.caller.call("completeBlob", { path, headers, ...withSignal(signal) }));
  const { url, key: keyText, file_id, file_size } = state;
  return {
    reference: { file_id, file_size, plaintext_hash: read.hash(), url, key: keyText },
    deleteToken: state.delete_token,
    expiresAt: done.expires_at,
  };
}

/** Reserves the space. */
async function begin(device: DeviceClient, fileSize: number, options: BlobUploadOptions): Promise<BlobUploadState> {
  const { lifetimeSeconds = usualLifetimeSeconds, maxDownloads, signal } = options;
  const { url, runtime } = device.connection;
  const wanted = { size: blobSizes(fileSize).sealed, lifetime_seconds: lifetimeSeconds };
  const body = { ...wanted, ...(maxDownloads !== undefined && { max_downloads: maxDownloads }) };
  const created = await device.call("createBlob", { body, ...withSignal(signal) });
  return {
    url: url + calls.downloadBlob.path.replace(":blob_id", created.blob_id),
    file_id: formatFileId({ uploaderDeviceId: device.deviceId, uuid: newFileUuid(runtime.randomBytes) }),
    file_size: fileSize,
    key: encodeHex(runtime.randomBytes(blobKeyBytes)),
    upload_token: created.upload_token,
    delete_token: created.delete_token,
    part_bytes: created.part_bytes,
    expires_at: created.expires_at,
    digests: [],
  };
}

/** Which parts the relay has. Throws a BlobError if it has ended the upload. */
async function storedParts(device: DeviceClient, state: BlobUploadState, signal: AbortSignal | undefined) {
  const headers = { "X-Upload-Token": state.upload_token };
  const path = { blob_id: blobIdOf(state.url) };
  const upload = await ifNotGone(
    device.connection.caller.call("getBlobUpload", { path, headers, ...withSignal(signal) }),
  );
  return upload.complete ? "all" : new Set(upload.stored_parts);
}

interface Part {
  part: number;
  bytes: Uint8Array;
  digest: string;
}

interface UploadTarget {
  url: string;
  token: string;
  runtime: Runtime;
  signal: AbortSignal | undefined;
}

/** Sends a part until the relay has stored it, or refuses it. */
async function sendPart({ url, token, runtime, signal }: UploadTarget, { part, bytes, digest }: Part): Promise<void> {
  const operation = "uploadBlobPart";
  const headers = {
    "content-type": "application/octet-stream",
    "x-upload-token": token,
    "content-digest": `sha-256=:${digest}:`,
  };
  const attempt = async () => {
    try {
      const answer = await putBytes({ operation, url: `${url}/parts/${part}`, headers, signal, runtime }, bytes);
      if (answer["part"] !== part) throw new ConnectionError(operation, new Error("the answer is not a relay's"));
    } catch (failure) {
      // The bytes were changed or cut on their way.
      const isDamaged =
        isAnswer(failure, "DIGEST_MISMATCH") || (failure instanceof AnswerError && failure.status === 408);
      throw isDamaged ? new ConnectionError(operation, failure) : failure;
    }
  };
  await ifNotGone(withRetries(operation, attempt, { policy: defaultRetries, runtime, ...withSignal(signal) }));
}

async function ifNotGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    if (isAnswer(failure, "NOT_FOUND")) throw new BlobError("gone", "has ended: upload the file again");
    throw failure;
  }
}

/** Joins chunks to parts. */
async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  { partBytes, total }: { partBytes: number; total: number },
): AsyncGenerator<Uint8Array> {
  let left = total;
  let part = new Uint8Array(Math.min(partBytes, left));
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(chunk.length - at, part.length - filled);
      part.set(chunk.subarray(at, at + length), filled);
      at += length;
      filled += length;
      if (filled < part.length) continue;
      yield part;
      left -= filled;
      filled = 0;
      part = new Uint8Array(Math.min(partBytes, left));
    }
  }
}

/** So that progress is told step by step. */
const pieceBytes = 64 * 1024;

async function* bytesOf(source: BlobSource, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    for (let at = 0; at < source.length; at += pieceBytes) yield source.subarray(at, at + pieceBytes);
    return;
  }
  const reader = (source.stream() as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Pages without a secure context, and some old platforms, have no `crypto.subtle`. */
async function sha256Of(bytes: Uint8Array): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  return subtle === undefined ? sha256(bytes) : new Uint8Array(await subtle.digest("SHA-256", bytes as BufferSource));
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function otherSource(): Error {
  return new Error("the source is not the file whose upload was begun");
}
