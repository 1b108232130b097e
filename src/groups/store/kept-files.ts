// Files that this device keeps, because a relay deletes them after some time. They are stored in parts, and the oldest are removed for new ones.

import { decodeRecord } from "../encoding/records.js";
import type { Ledger, Transaction } from "./ledger.js";
import { filePartPrefix, idKey, keptFilePrefix } from "./record-keys.js";

interface KeptFile {
  size: number;
  parts: number;
  at: number;
}

export interface FileName {
  group: string;
  /** The message's id. */
  id: string;
}

const partBytes = 256 * 1024;
const digits = 6;

/** Undefined if the file is not kept. */
export async function keptFile(ledger: Ledger, name: FileName): Promise<ReadableStream<Uint8Array> | undefined> {
  const kept = await ledger.read<KeptFile>(keyOf(name));
  if (kept === undefined) return undefined;
  let part = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (part === kept.parts) return controller.close();
        const bytes = await ledger.store.get(partKey(name, part++));
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
  const all = (await transaction.list(keptFilePrefix)).map(
    ([key, value]) => [key, decodeRecord<KeptFile>(value)] as const,
  );
  let total = all.reduce((sum, [, { size }]) => sum + size, bytes.length);
  for (const [key, file] of all.sort(([, one], [, other]) => one.at - other.at)) {
    if (total <= maxBytes) break;
    removeParts(transaction, key, file);
    total -= file.size;
  }
  const parts = Math.ceil(bytes.length / partBytes);
  for (let part = 0; part < parts; part++)
    transaction.setBytes(partKey(name, part), bytes.slice(part * partBytes, (part + 1) * partBytes));
  transaction.set(keyOf(name), { size: bytes.length, parts, at: nowMillis });
}

export async function forgetFile(transaction: Transaction, name: FileName): Promise<void> {
  const kept = await transaction.read<KeptFile>(keyOf(name));
  if (kept !== undefined) removeParts(transaction, keyOf(name), kept);
}

/** Commits the transaction for each file. */
export async function forgetAllFiles(transaction: Transaction, group: string): Promise<void> {
  for (const [key, value] of await transaction.list(`${keptFilePrefix}${group}/`)) {
    removeParts(transaction, key, decodeRecord<KeptFile>(value));
    await transaction.commit();
  }
}

function removeParts(transaction: Transaction, key: string, { parts }: KeptFile): void {
  transaction.remove(key);
  const prefix = filePartPrefix + key.slice(keptFilePrefix.length);
  for (let part = 0; part < parts; part++) transaction.remove(`${prefix}/${String(part).padStart(digits, "0")}`);
}

function keyOf({ group, id }: FileName): string {
  return `${keptFilePrefix}${group}/${idKey(id)}`;
}

function partKey({ group, id }: FileName, part: number): string {
  return `${filePartPrefix}${group}/${idKey(id)}/${String(part).padStart(digits, "0")}`;
}
