// Files of messages. When a message is deleted for everyone, the relay deletes its file early. Sent and downloaded files are kept if the application
// wishes.

import type { BlobDownloadOptions, BlobReference, BlobSource } from "../../client/index.js";
import { loaded } from "../../client/index.js";
import type { FileName } from "../store/file-parts.js";
import type { Transaction } from "../store/ledger.js";
import { idKey, inGroup, type Key, keyOf, restOf, sentFilePrefix, unwantedFilePrefix } from "../store/record-keys.js";
import type { SentFile } from "../store/records.js";
import type { DeviceCore } from "./device-core.js";
import { retryLater } from "./retry.js";

export class Files {
  readonly #core: DeviceCore;
  readonly #maxKeptBytes: number;
  #last: Promise<void> = Promise.resolve();
  readonly #again = () => this.resume();

  constructor(core: DeviceCore, maxKeptBytes: number) {
    this.#core = core;
    this.#maxKeptBytes = maxKeptBytes;
  }

  /** Keeps what was sent. */
  async keep(name: FileName, source: BlobSource): Promise<void> {
    const { size } = source as { size?: number };
    if ((size ?? (source as Uint8Array).length) > this.#maxFileBytes) return;
    const body = source instanceof Uint8Array || source instanceof Blob ? source : source.stream();
    const bytes = new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
    const { keep } = await loaded(import("./file-transfers.js"));
    await keep(this.#core, name, { bytes, maxBytes: this.#maxKeptBytes });
  }

  /** The file as it is kept. If it is not, as it is downloaded from the relay of `domain`, and kept then. */
  read(name: FileName, from: { domain: string; reference: BlobReference; options: BlobDownloadOptions }) {
    const maxBytes = from.reference.file_size <= this.#maxFileBytes ? this.#maxKeptBytes : undefined;
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const cancelling = new AbortController();
    const how = { ...from, maxBytes, cancelled: cancelling.signal };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          reader ??= (await (await loaded(import("./file-transfers.js"))).openFile(this.#core, name, how)).getReader();
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        // There is no reader yet while the file's relay is looked for.
        cancel: (reason) => cancelling.abort(reason),
      },
      { highWaterMark: 0 },
    );
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
    try {
      const unwanted = await this.#core.ledger.readAll(unwantedFilePrefix);
      if (unwanted.length > 0) await (await loaded(import("./file-transfers.js"))).deleteFiles(this.#core, unwanted);
    } catch (problem) {
      retryLater(this.#core, problem, this.#again);
    }
  }
}

function tokenKey({ group, id }: FileName): Key<SentFile> {
  return keyOf(inGroup(sentFilePrefix, group), idKey(id));
}
