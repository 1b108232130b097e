import { demandFunction, demandOptions, demandSignal, ifGiven } from "../runtime/arguments.js";
import { loaded } from "../runtime/loading.js";
import type { BlobDownloadOptions } from "./blob-reading.js";
import { type BlobReference, readBlobReference } from "./blob-references.js";

/**
 * The bytes of a file, each checked before it is handed over. After a broken connection the download continues where it was. The
 * stream closes only if the whole file is the one that the reference names, so do not use a part of it as if it were the
 * whole. It ends with a BlobError, AnswerError or ConnectionError. Throws MalformedError for a malformed reference.
 */
export function downloadBlob(reference: BlobReference, options: BlobDownloadOptions = {}): ReadableStream<Uint8Array> {
  const wanted = readBlobReference(reference);
  demandOptions(options, "options");
  ifGiven(options.signal, (signal) => demandSignal(signal, "signal"));
  ifGiven(options.onProgress, (onProgress) => demandFunction(onProgress, "onProgress"));
  const cancelled = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, cancelled.signal]) : cancelled.signal;
  const chunks = read(wanted, { ...options, signal });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (failure) {
          controller.error(failure);
        }
      },
      async cancel(reason) {
        cancelled.abort(reason);
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** What it takes is loaded with the first file. */
async function* read(
  reference: BlobReference,
  options: BlobDownloadOptions & { signal: AbortSignal },
): AsyncGenerator<Uint8Array, undefined> {
  const { readBlob } = await loaded(import("./blob-reading.js"));
  return yield* readBlob(reference, options);
}
