// Files of messages. When a message is deleted for everyone, the relay deletes its file early. Sent and downloaded files are kept if the application
// wishes.

import { type BlobReference, type BlobSource, ConnectionError, deleteBlob } from "../../client/index.js";
import { smallJson } from "../../client/runtime/small-answers.js";
import { concatBytes } from "../../protocol/encodings.js";
import { type FileName, keepFile, keptFile } from "../store/kept-files.js";
import type { Transaction } from "../store/ledger.js";
import { idKey, inGroup, type Key, keyOf, restOf, sentFilePrefix, unwantedFilePrefix } from "../store/record-keys.js";
import type { SentFile } from "../store/records.js";
import type { Core } from "./core.js";
import { isFinal, retryLater } from "./refusals.js";

/** Deleted at once, others later. */
const maxAtOnce = 100;
/** A relay that does not say for so long where its blobs are has none. */
const longestAnswerMillis = 30_000;

export class Files {
  readonly #core: Core;
  readonly #maxKeptBytes: number;
  #last: Promise<void> = Promise.resolve();
  readonly #again = () => this.resume();

  constructor(core: Core, maxKeptBytes: number) {
    this.#core = core;
    this.#maxKeptBytes = maxKeptBytes;
  }

  /** Keeps what was sent. */
  async keep(name: FileName, source: BlobSource): Promise<void> {
    const { size } = source as { size?: number };
    if ((size ?? (source as Uint8Array).length) > this.#maxFileBytes) return;
    const body = source instanceof Uint8Array || source instanceof Blob ? source : source.stream();
    await this.#keep(name, new Uint8Array(await new Response(body as BodyInit).arrayBuffer()));
  }

  /** The file as it is kept. If it is not, as it is downloaded, and kept then. */
  read(name: FileName, { size, source }: { size: number; source: () => Promise<ReadableStream<Uint8Array>> }) {
    const isKept = size <= this.#maxFileBytes;
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    /** Of a download. */
    let chunks: Uint8Array[] | undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (reader === undefined) {
            const kept = isKept ? await keptFile(this.#core.ledger, name) : undefined;
            if (isKept && kept === undefined) chunks = [];
            reader = (kept ?? (await source())).getReader();
          }
          const { done, value } = await reader.read();
          if (!done) {
            chunks?.push(value);
            return controller.enqueue(value);
          }
          // A store that is full keeps nobody from the file.
          if (chunks !== undefined) await this.#keep(name, concatBytes(...chunks)).catch(this.#core.problem);
          controller.close();
        },
        cancel: (reason) => reader?.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  async #keep(name: FileName, bytes: Uint8Array): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    await ledger.inTurn(async (transaction) => {
      await keepFile(transaction, name, { bytes, maxBytes: this.#maxKeptBytes, nowMillis: nowMillis() });
      await transaction.commit();
    });
  }

  /** One file must not push out all others. */
  get #maxFileBytes(): number {
    return Math.floor(this.#maxKeptBytes / 4);
  }

  /** Notes how the file of a message is deleted. */
  sent(transaction: Transaction, message: FileName, file: SentFile): void {
    transaction.set(tokenKey(message), file);
  }

  /** The message was deleted for everyone. If another device of the user sent it, this device lacks the token, and the file stays until it expires. */
  async takenBack(transaction: Transaction, message: FileName): Promise<void> {
    const key = tokenKey(message);
    const file = await transaction.get(key);
    if (file === undefined) return;
    transaction.remove(key);
    transaction.setBytes(keyOf(unwantedFilePrefix, restOf(key, sentFilePrefix)), file);
    transaction.afterwards(this.#again);
  }

  /** Deletes what a lost connection or the end of the program has left. */
  resume(): void {
    this.#last = this.#last.then(() => this.#deleteAll());
  }

  async #deleteAll(): Promise<void> {
    const { ledger, device, closing } = this.#core;
    try {
      for (const [key, { url, deleteToken }] of (await ledger.readAll(unwantedFilePrefix)).slice(0, maxAtOnce)) {
        const { runtime } = device.connection;
        await deleteBlob({ url }, deleteToken, { runtime, signal: closing }).catch((problem: unknown) => {
          if (!isFinal(problem)) throw problem;
        });
        await ledger.inTurn(async (transaction) => {
          transaction.remove(key);
          await transaction.commit();
        });
      }
    } catch (problem) {
      retryLater(this.#core, problem, this.#again);
    }
  }
}

/**
 * The blob at the relay of its sender's address: a member who named another host would learn the network addresses of all who read the message. A relay has
 * its blobs at its own domain, below it, or where it says.
 */
export async function atRelay(
  { device: { connection }, sealing }: Core,
  { domain, reference, signal }: { domain: string; reference: BlobReference; signal: AbortSignal },
): Promise<BlobReference> {
  const { host, pathname } = new URL(reference.url);
  if (domain !== sealing.domain && (host === domain || host.endsWith(`.${domain}`))) return reference;
  const base = domain === sealing.domain ? connection.url : await baseOf(connection, domain, signal);
  return { ...reference, url: `${base}${pathname.slice(pathname.lastIndexOf("/v1/blobs/"))}` };
}

async function baseOf({ runtime }: Core["device"]["connection"], domain: string, signal: AbortSignal): Promise<string> {
  const whole = AbortSignal.any([signal, AbortSignal.timeout(longestAnswerMillis)]);
  try {
    const init = { method: "GET", credentials: "omit", signal: whole } as const;
    const answer = await runtime.fetch(`https://${domain}/.well-known/svc`, init);
    return String(Object(await smallJson(answer)).base_url);
  } catch (failure) {
    throw signal.aborted ? signal.reason : new ConnectionError("downloadBlob", failure);
  }
}

function tokenKey({ group, id }: FileName): Key<SentFile> {
  return keyOf(inGroup(sentFilePrefix, group), idKey(id));
}
