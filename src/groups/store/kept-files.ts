// Files that this device keeps, because a relay deletes them after some time. The oldest make room for others.

import { type FileName, fileKey, partKey, removeParts } from "./file-parts.js";
import type { Ledger, Transaction } from "./ledger.js";
import { keptFilePrefix } from "./record-keys.js";

const partBytes = 256 * 1024;

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
  const count = Math.ceil(bytes.length / partBytes);
  for (let part = 0; part < count; part++)
    transaction.setBytes(partKey(fileKey(name), part), bytes.slice(part * partBytes, (part + 1) * partBytes));
  transaction.set(fileKey(name), { size: bytes.length, parts: count, at: nowMillis });
}
