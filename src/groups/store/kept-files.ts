// Files that this device keeps, because a relay deletes them after some time. They are stored in parts, and the oldest are removed for new ones.

import type { Ledger, Transaction } from "./ledger.js";
import { filePartPrefix, idKey, inGroup, type Key, keptFilePrefix, keyOf, restOf } from "./record-keys.js";
import type { KeptFile } from "./records.js";

export interface FileName {
  group: string;
  /** The message's id. */
  id: string;
}

const partBytes = 256 * 1024;
const digits = 6;

/** Undefined if the file is not kept. */
export async function keptFile(ledger: Ledger, name: FileName): Promise<ReadableStream<Uint8Array> | undefined> {
  const kept = await ledger.read(fileKey(name));
  if (kept === undefined) return undefined;
  let part = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (part === kept.parts) return controller.close();
        const bytes = await ledger.store.get(partKey(fileKey(name), part++));
        if (bytes === undefined) controller.error(new Error("the file is not kept any more"));
        else controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Stores a file, in place of the oldest if all together would have more than `maxBytes`. */
export async function keepFile(
  transaction: Transaction,
  name: FileName,
  { bytes, maxBytes, nowMillis }: { bytes: Uint8Array; maxBytes: number; nowMillis: number },
): Promise<void> {
  const all = await transaction.readAll(keptFilePrefix);
  let total = all.reduce((sum, [, { size }]) => sum + size, bytes.length);
  for (const [key, file] of all.sort(([, one], [, other]) => one.at - other.at)) {
    if (total <= maxBytes) break;
    removeParts(transaction, key, file);
    total -= file.size;
  }
  const parts = Math.ceil(bytes.length / partBytes);
  for (let part = 0; part < parts; part++)
    transaction.setBytes(partKey(fileKey(name), part), bytes.slice(part * partBytes, (part + 1) * partBytes));
  transaction.set(fileKey(name), { size: bytes.length, parts, at: nowMillis });
}

export async function forgetFile(transaction: Transaction, name: FileName): Promise<void> {
  const kept = await transaction.read(fileKey(name));
  if (kept !== undefined) removeParts(transaction, fileKey(name), kept);
}

/** Commits the transaction for each file. */
export async function forgetAllFiles(transaction: Transaction, group: string): Promise<void> {
  for (const [key, kept] of await transaction.readAll(inGroup(keptFilePrefix, group))) {
    removeParts(transaction, key, kept);
    await transaction.commit();
  }
}

function removeParts(transaction: Transaction, key: Key<KeptFile>, { parts }: KeptFile): void {
  transaction.remove(key);
  for (let part = 0; part < parts; part++) transaction.remove(partKey(key, part));
}

function fileKey({ group, id }: FileName): Key<KeptFile> {
  return keyOf(inGroup(keptFilePrefix, group), idKey(id));
}

function partKey(file: Key<KeptFile>, part: number): Key<Uint8Array> {
  return keyOf(inGroup(filePartPrefix, restOf(file, keptFilePrefix)), String(part).padStart(digits, "0"));
}
