import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Db } from "../database/db.js";
import { isRefusedWrite } from "../database/errors.js";
import { type BackupEnd, type BackupHeader, type BackupPart, decodeArchive } from "./archive.js";
import { writeArchive } from "./archive-file.js";
import { unpack } from "./encryption.js";
import { DamagedBackup } from "./frames.js";
import { migrationsOf, type Restored, type RestoreOptions, restoreSnapshot } from "./restore.js";
import type { OnProgress, SnapshotOptions } from "./snapshot.js";
import { recordFinish } from "./store.js";

export type { BackupEnd, BackupHeader } from "./archive.js";
export { checkRecipient, readIdentities } from "./encryption.js";
export { type BackupOperations, type BackupOverview, createBackupOperations } from "./operations.js";
export type { Restored } from "./restore.js";
export { createScheduledBackups, type ScheduledBackups, scheduleBackupJobs } from "./scheduled-backups.js";
export { type BackupState, readBackupState } from "./store.js";

/** Writes a backup of the database, which relays may be using, into a new file and records it. Returns the size in bytes. */
export async function writeBackup(
  file: string,
  options: SnapshotOptions & { db: Db; now: () => number; recipients: readonly string[] },
): Promise<{ bytes: number; isRecorded: boolean }> {
  const startedAt = options.now();
  const bytes = await writeArchive(file, options);
  const attempt = { startedAt, origin: "command" as const, file: path.basename(file) };
  try {
    await recordFinish(options.db, { ...attempt, now: options.now(), bytes });
    return { bytes, isRecorded: true };
  } catch (error) {
    if (!isRefusedWrite(error)) throw error;
    return { bytes, isRecorded: false };
  }
}

/** Reads a whole backup and checks every checksum. Throws DamagedBackup if it differs from what was written. */
export async function verifyBackup(
  file: string,
  options: { identities: readonly string[]; progress?: OnProgress },
): Promise<{ header: BackupHeader; end: BackupEnd }> {
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  const { parts, report } = await openBackup(file, options);
  for await (const part of parts) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "end") end = part.end;
    if (part.kind === "tableEnd") report(part.end.name);
  }
  if (header === undefined || end === undefined) throw new DamagedBackup("the backup is truncated: its end is missing");
  return { header, end };
}

/** Throws if the file is not a backup that this version can restore. Reads its header only. */
export async function refuseOtherBackup(file: string, identities: readonly string[]): Promise<void> {
  for await (const part of decodeArchive(unpack(createReadStream(file), identities))) {
    if (part.kind === "header") migrationsOf(part.header);
    return;
  }
}

/** Loads a backup into an unused database; see `restoreSnapshot`. */
export async function restoreBackup(
  file: string,
  options: Omit<RestoreOptions, "onTable"> & { identities: readonly string[]; progress?: OnProgress },
): Promise<Restored> {
  const { parts, report } = await openBackup(file, options);
  return restoreSnapshot(parts, { ...options, onTable: report });
}

/** The parts of a backup, and what reports the part of the file that was read. */
async function openBackup(
  file: string,
  { identities, progress }: { identities: readonly string[]; progress?: OnProgress },
): Promise<{ parts: AsyncGenerator<BackupPart>; report: (table: string) => void }> {
  const { size } = await stat(file);
  const bytes = createReadStream(file);
  return {
    parts: decodeArchive(unpack(bytes, identities)),
    report: (table) => progress?.(bytes.bytesRead / size, table),
  };
}
