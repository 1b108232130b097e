import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { encodeArchive } from "./archive.js";
import { pack } from "./encryption.js";
import { type SnapshotOptions, takeSnapshot } from "./snapshot.js";

/** Writes a backup of the database, which relays may be using, into a new file. Returns the size of the file in bytes. */
export function writeArchive(
  file: string,
  options: SnapshotOptions & { recipients: readonly string[] },
): Promise<number> {
  return writeDurably(file, pack(encodeArchive(takeSnapshot(options)), options.recipients));
}

const ownerOnly = 0o600;
/** The end of a file's name while the file is incomplete. */
export const unfinishedSuffix = ".unfinished";

/**
 * Writes a new file that only its owner may read. It gets its name when it is complete and on disk. An existing file of
 * that name is never replaced. Returns the size in bytes.
 */
async function writeDurably(file: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  await refuseExisting(file);
  await requireFolder(path.dirname(file));
  const unfinished = `${file}.${randomBytes(4).toString("hex")}${unfinishedSuffix}`;
  try {
    const size = await writeAll(unfinished, bytes);
    await refuseExisting(file);
    await rename(unfinished, file);
    await syncFolder(path.dirname(file));
    return size;
  } catch (problem) {
    await rm(unfinished, { force: true });
    throw problem;
  }
}

async function writeAll(name: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(name, "wx", ownerOnly);
  let size = 0;
  try {
    for await (const chunk of bytes) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

async function requireFolder(folder: string): Promise<void> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere)
    throw new Error(`there is no folder ${path.resolve(folder)} for the backup: create it, or choose another`);
}

async function refuseExisting(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new Error(`${path.resolve(file)} is a folder: name a new file in it for the backup`);
  }
  if (found !== undefined) throw new Error(`${file} exists, and a backup never replaces a file`);
}

/** Flushes the folder to disk, and with it the name of the file. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
