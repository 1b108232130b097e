import { randomBytes } from "node:crypto";
import { access, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { encodeArchive } from "./archive.js";
import { pack } from "./encryption.js";
import { type TakingOptions, takeSnapshot } from "./snapshot.js";

/** Writes a backup of the database into a new file, while relays run on it. Returns the file's size. */
export function writeArchive(
  file: string,
  options: TakingOptions & { recipients: readonly string[] },
): Promise<number> {
  return writeDurably(file, pack(encodeArchive(takeSnapshot(options)), options.recipients));
}

const ownerOnly = 0o600;
/** What a file is called while it is not complete. */
export const unfinishedSuffix = ".unfinished";

/**
 * Writes a new file that only its owner may read. It has its name once it is whole and on the disk, and not before; a
 * file of that name is never replaced. Returns its size.
 */
export async function writeDurably(file: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  await refuseExisting(file);
  const draft = `${file}.${randomBytes(4).toString("hex")}${unfinishedSuffix}`;
  try {
    const size = await writeAll(draft, bytes);
    await refuseExisting(file);
    await rename(draft, file);
    await syncFolder(path.dirname(file));
    return size;
  } catch (problem) {
    await rm(draft, { force: true });
    throw problem;
  }
}

async function writeAll(draft: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(draft, "wx", ownerOnly);
  let size = 0;
  try {
    for await (const piece of bytes) {
      await handle.writeFile(piece);
      size += piece.length;
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} exists already, and a backup replaces no file`);
}

/** The name is on the disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
