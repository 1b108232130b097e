// The parts in which files that this device keeps are stored, and their removal. It is apart from kept-files.ts, which is loaded when a file is read.

import type { Transaction } from "./ledger.js";
import { filePartPrefix, idKey, inGroup, type Key, keptFilePrefix, keyOf, restOf } from "./record-keys.js";
import type { KeptFile } from "./records.js";

export interface FileName {
  group: string;
  /** The message's id. */
  id: string;
}

const digits = 6;

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

export function removeParts(transaction: Transaction, key: Key<KeptFile>, { parts }: KeptFile): void {
  transaction.remove(key);
  for (let part = 0; part < parts; part++) transaction.remove(partKey(key, part));
}

export function fileKey({ group, id }: FileName): Key<KeptFile> {
  return keyOf(inGroup(keptFilePrefix, group), idKey(id));
}

export function partKey(file: Key<KeptFile>, part: number): Key<Uint8Array> {
  return keyOf(inGroup(filePartPrefix, restOf(file, keptFilePrefix)), String(part).padStart(digits, "0"));
}
