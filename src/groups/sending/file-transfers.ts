// How files come and go: they are downloaded from the relays of their senders, kept on this device, and deleted at its relay.

import {
  type BlobDownloadOptions,
  type BlobReference,
  ConnectionError,
  deleteBlob,
  downloadBlob,
} from "../../client/index.js";
import { smallJson } from "../../client/runtime/small-answers.js";
import { concatBytes } from "../../protocol/encodings.js";
import type { FileName } from "../store/file-parts.js";
import { keepFile, keptFile } from "../store/kept-files.js";
import type { SentFile } from "../store/records.js";
import { type DeviceCore, firstOf, untilClosed } from "./device-core.js";
import { isFinal } from "./retry.js";

interface Opening {
  /** Of its sender's relay. */
  domain: string;
  reference: BlobReference;
  options: BlobDownloadOptions;
  /** Aborted when nobody wants the file any more. */
  cancelled: AbortSignal;
  /** Of all kept files; undefined if this one is not kept. */
  maxBytes: number | undefined;
}

/** Deleted at once, others later. */
const maxAtOnce = 100;
/** A relay that does not say for so long where its blobs are has none. */
const longestAnswerMillis = 30_000;

/** The file as it is kept. If it is not, as it is downloaded, and kept then if there is room for files of its size. */
export async function openFile(
  core: DeviceCore,
  name: FileName,
  { domain, reference, options, cancelled, maxBytes }: Opening,
) {
  const kept = maxBytes === undefined ? undefined : await keptFile(core.ledger, name);
  if (kept !== undefined) return kept;
  const { runtime } = core.device.connection;
  const signal = firstOf(untilClosed(core, options.signal), cancelled);
  const there = await atRelay(core, { domain, reference, signal });
  const reader = downloadBlob(there, { runtime, ...options, signal }).getReader();
  const chunks: Uint8Array[] = [];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) {
          if (maxBytes !== undefined) chunks.push(value);
          return controller.enqueue(value);
        }
        // A store that is full keeps nobody from the file.
        if (maxBytes !== undefined)
          await keep(core, name, { bytes: concatBytes(...chunks), maxBytes }).catch(core.problem);
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export async function keep(
  { ledger, nowMillis }: DeviceCore,
  name: FileName,
  of: { bytes: Uint8Array; maxBytes: number },
) {
  await ledger.inTurn(async (transaction) => {
    await keepFile(transaction, name, { ...of, nowMillis: nowMillis() });
    await transaction.commit();
  });
}

/** Those that a lost connection leaves are deleted later. */
export async function deleteFiles(
  { ledger, device, closing }: DeviceCore,
  unwanted: [key: string, SentFile][],
): Promise<void> {
  for (const [key, { url, deleteToken }] of unwanted.slice(0, maxAtOnce)) {
    const { runtime } = device.connection;
    await deleteBlob({ url }, deleteToken, { runtime, signal: closing }).catch((problem: unknown) => {
      if (!isFinal(problem)) throw problem;
    });
    await ledger.inTurn(async (transaction) => {
      transaction.remove(key);
      await transaction.commit();
    });
  }
}

/**
 * The blob at the relay of its sender's address: a member who named another host would learn the network addresses of all who read the message. A relay has
 * its blobs at its own domain, below it, or where it says.
 */
export async function atRelay(
  { device: { connection }, sealing }: DeviceCore,
  { domain, reference, signal }: { domain: string; reference: BlobReference; signal: AbortSignal },
): Promise<BlobReference> {
  const { host, pathname } = new URL(reference.url);
  if (domain !== sealing.domain && (host === domain || host.endsWith(`.${domain}`))) return reference;
  const base = domain === sealing.domain ? connection.url : await baseOf(connection, domain, signal);
  return { ...reference, url: `${base}${pathname.slice(pathname.lastIndexOf("/v1/blobs/"))}` };
}

async function baseOf(
  { runtime }: DeviceCore["device"]["connection"],
  domain: string,
  signal: AbortSignal,
): Promise<string> {
  const whole = firstOf(signal, AbortSignal.timeout(longestAnswerMillis));
  try {
    const init = { method: "GET", credentials: "omit", signal: whole } as const;
    const answer = await runtime.fetch(`https://${domain}/.well-known/svc`, init);
    return String(Object(await smallJson(answer)).base_url);
  } catch (failure) {
    throw signal.aborted ? signal.reason : new ConnectionError("downloadBlob", failure);
  }
}
