import { childOf } from "../runtime/abort.js";
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
  // In Node.js 20, `AbortSignal.any` can forget a signal that nobody else refers to, such as one of `AbortSignal.timeout`.
  const ending = options.signal ? childOf(options.signal) : new AbortController();
  const chunks = read(wanted, { ...options, signal: ending.signal });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (failure) {
          controller.error(failure);
        }
        ending.abort();
      },
      async cancel(reason) {
        ending.abort(reason);
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
