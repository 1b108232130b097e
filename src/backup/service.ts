import { createReadStream } from "node:fs";
import { type BackupEnd, type BackupHeader, decodeArchive, encodeArchive } from "./archive.js";
import { DamagedBackup } from "./damaged.js";
import { writeDurably } from "./durable-file.js";
import { pack, unpack } from "./encryption.js";
import { type Restored, type RestoringOptions, restoreSnapshot } from "./restoring.js";
import { type Progress, type TakingOptions, takeSnapshot } from "./taking.js";

export type { BackupEnd, BackupHeader } from "./archive.js";
export { checkRecipient, readIdentities } from "./encryption.js";
export type { Restored } from "./restoring.js";
export type { Progress } from "./taking.js";

/** Writes a backup of the database into a new file, while relays run on it. Returns the file's size. */
export function writeBackup(file: string, options: TakingOptions & { recipients: readonly string[] }): Promise<number> {
  return writeDurably(file, pack(encodeArchive(takeSnapshot(options)), options.recipients));
}

/** Reads a whole backup and checks every sum. Throws DamagedBackup where it is not as it was written. */
export async function verifyBackup(
  file: string,
  options: { identities: readonly string[]; progress?: (progress: Progress) => void },
): Promise<{ header: BackupHeader; end: BackupEnd }> {
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  for await (const part of decodeArchive(unpack(createReadStream(file), options.identities))) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "end") end = part.end;
    if (part.kind === "tableEnd") options.progress?.({ table: part.end.name, bytes: 0, rows: part.end.rows });
  }
  if (header === undefined || end === undefined) throw new DamagedBackup("the backup is cut off: its end is missing");
  return { header, end };
}

/** Loads a backup into an unused database; see `restoreSnapshot`. */
export function restoreBackup(
  file: string,
  options: RestoringOptions & { identities: readonly string[] },
): Promise<Restored> {
  return restoreSnapshot(decodeArchive(unpack(createReadStream(file), options.identities)), options);
}
