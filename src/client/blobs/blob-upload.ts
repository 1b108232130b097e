import { calls } from "../../../generated/calls.js";
import { daySeconds } from "../../protocol/units.js";
import { createCaller } from "../connection/calls.js";
import { isAnswer } from "../connection/failures.js";
import type { RetryPolicy } from "../connection/retry.js";
import type { DeviceClient } from "../device/client.js";
import {
  demand,
  demandClient,
  demandFunction,
  demandNumber,
  demandOptions,
  demandSignal,
  demandString,
  ifGiven,
} from "../runtime/arguments.js";
import { loaded } from "../runtime/loading.js";
import { type Runtime, runtimeWith } from "../runtime/runtime.js";
import { type BlobReference, blobIdOf, parseBlobUrl } from "./blob-references.js";
import type { BlobSource, BlobUploadOptions, UploadedBlob } from "./blob-sending.js";

const longestLifetimeSeconds = 90 * daySeconds;
const mostDownloads = 100_000;

/** Encrypts a file and uploads it part by part, of which one is in memory. Throws AnswerError, ConnectionError or BlobError. */
export async function uploadBlob(
  device: DeviceClient,
  source: BlobSource,
  options: BlobUploadOptions = {},
): Promise<UploadedBlob> {
  demandClient(device, "device");
  const fileSize = demandUpload(source, options);
  options.signal?.throwIfAborted();
  // Most applications send files rarely, and start without what it takes.
  const { sendBlob } = await loaded(import("./blob-sending.js"));
  return sendBlob(device, source, { ...options, fileSize });
}

/** Deletes a blob before it ends. Resolves also if it is gone already. */
export async function deleteBlob(
  { url }: Pick<BlobReference, "url">,
  deleteToken: string,
  {
    runtime,
    signal,
    retries,
  }: { runtime?: Partial<Runtime>; signal?: AbortSignal; retries?: Partial<RetryPolicy> } = {},
): Promise<void> {
  demand(typeof url === "string" && parseBlobUrl(url) !== undefined, url, {
    what: "url",
    expected: "the URL of a blob",
  });
  demandString(deleteToken, "deleteToken");
  const caller = createCaller({ url: baseOf(url), runtime: runtimeWith(runtime), ...(retries && { retries }) });
  const headers = { "X-Delete-Token": deleteToken };
  try {
    await caller.call("deleteBlob", { path: { blob_id: blobIdOf(url) }, headers, ...(signal && { signal }) });
  } catch (failure) {
    if (!isAnswer(failure, "NOT_FOUND")) throw failure;
  }
}

/** The base address of the relay that has a blob. */
function baseOf(url: string): string {
  return url.slice(0, url.lastIndexOf(calls.downloadBlob.path.replace(":blob_id", "")));
}

/** Returns the size of the file. */
function demandUpload(source: BlobSource, options: BlobUploadOptions): number {
  demandOptions(options, "options");
  ifGiven(options.lifetimeSeconds, (seconds) => demandNumber(seconds, "lifetimeSeconds", [60, longestLifetimeSeconds]));
  ifGiven(options.maxDownloads, (downloads) => demandNumber(downloads, "maxDownloads", [1, mostDownloads]));
  ifGiven(options.onProgress, (onProgress) => demandFunction(onProgress, "onProgress"));
  ifGiven(options.onState, (onState) => demandFunction(onState, "onState"));
  ifGiven(options.signal, (signal) => demandSignal(signal, "signal"));
  ifGiven(options.resume, (resume) => demandOptions(resume, "resume"));
  if (source instanceof Uint8Array) return source.length;
  const isFile = typeof (source as { stream?: unknown } | null)?.stream === "function";
  demand(isFile, source, { what: "source", expected: "a Uint8Array, a Blob, or an object with `size` and `stream`" });
  demandNumber(source.size, "source.size", [0, Number.MAX_SAFE_INTEGER]);
  return source.size;
}
