import { mkdir, open, readdir, rename, rm, stat, statfs, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { kibibyte, mebibyte } from "../../protocol/units.js";
import { type BlobLayout, type ByteRange, partCount, partSize } from "./layout.js";
import type { BlobStorage } from "./storage.js";

// A blob is a folder with a file for each part, so completing it copies nothing. A part is written to a file of its own, synced,
// and then renamed, so a file with the name of a part always has all of its bytes. Until it is complete the folder has another
// name: a part that is late finds its folder gone, so the bytes of a complete blob never change.

const longSize = 16 * mebibyte;
/** Larger chunks take fewer reads, and more memory for each download. */
const chunkBytes = 256 * kibibyte;
const prefixes = 256;

export function blobFolder({ blobDir, dataDir }: { blobDir: string | null; dataDir: string }): string {
  return path.resolve(blobDir ?? path.join(dataDir, "blobs"));
}

/** Blobs in a folder. Several nodes may share it. */
export function createFolderStorage(root: string, random: { uuid(): string }): BlobStorage {
  const folderOf = (name: string) => path.join(root, name.slice(0, 2), name);
  const uploadOf = (name: string) => `${folderOf(name)}.upload`;
  const isJoined = async (name: string) => (await stat(folderOf(name)).catch(undefinedIfAbsent)) !== undefined;
  return {
    async start() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      // Empty, so that a full disk is no failure.
      await writeFile(path.join(root, "trial"), "");
    },
    stop: async () => {},
    partBytesFor: (size) => (size > longSize ? 4 * mebibyte : mebibyte),
    async freeBytes() {
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
    begin: async () => null,
    async putPart({ name }, { part, chunks }) {
      if (await isJoined(name)) return "joined";
      const folder = uploadOf(name);
      const draft = path.join(folder, `${part}.${random.uuid()}`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeSynced(draft, chunks);
        await rename(draft, path.join(folder, String(part)));
      } catch (error) {
        await rm(draft, { force: true });
        if (!isCode(error, "ENOENT")) throw error;
        return (await isJoined(name)) ? "joined" : "removed";
      }
      if (!(await isJoined(name))) return "stored";
      // The parts were joined before this one made the folder again.
      await rm(folder, { recursive: true, force: true });
      return "joined";
    },
    async storedParts({ name }) {
      const joined = await storedParts(folderOf(name));
      return joined.length > 0 ? joined : storedParts(uploadOf(name));
    },
    async complete(layout) {
      const folder = folderOf(layout.name);
      if (!(await isJoined(layout.name))) {
        const upload = uploadOf(layout.name);
        if ((await storedParts(upload)).length < partCount(layout)) return false;
        await rename(upload, folder).catch(undefinedIfAbsent);
        if (!(await isJoined(layout.name))) return false;
      }
      try {
        await removeDrafts(folder);
        for (const one of [folder, path.dirname(folder), root]) await syncFolder(one);
        return true;
      } catch (error) {
        // It was removed meanwhile.
        if (isCode(error, "ENOENT")) return false;
        throw error;
      }
    },
    address: async () => null,
    async open(layout, range) {
      const folder = folderOf(layout.name);
      // The file is opened later, because a caller that changes its mind never starts to read.
      const first = path.join(folder, String(Math.floor(range.first / layout.partBytes)));
      const found = await stat(first).catch(undefinedIfAbsent);
      return found && readParts(folder, layout, range);
    },
    async remove({ name }) {
      for (const folder of [uploadOf(name), folderOf(name)]) await rm(folder, { recursive: true, force: true });
    },
    async removeOlderThan(seconds, turn) {
      // Each turn looks at one of 256 folders.
      const prefix = path.join(root, (turn % prefixes).toString(16).padStart(2, "0"));
      for (const name of await namesIn(prefix)) {
        const folder = path.join(prefix, name);
        const found = await stat(folder).catch(undefinedIfAbsent);
        if (found && found.mtimeMs < seconds * 1000) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function writeSynced(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(undefinedIfAbsent)) ?? [];
}

async function storedParts(folder: string): Promise<number[]> {
  return (await namesIn(folder))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** What a crash has left of parts that were being written. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.includes(".")) await unlink(path.join(folder, name)).catch(() => {});
}

/** A file is found after a crash only if its folder was synced, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* readParts(folder: string, layout: BlobLayout, range: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = range.first; at <= range.last; ) {
    const part = Math.floor(at / layout.partBytes);
    const begin = part * layout.partBytes;
    const end = Math.min(range.last + 1, begin + partSize(layout, part));
    const handle = await open(path.join(folder, String(part)), "r");
    try {
      while (at < end) {
        const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at - begin);
        if (bytesRead === 0) throw new Error("a part of the blob is too short");
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isCode(error, "ENOENT")) throw error;
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
