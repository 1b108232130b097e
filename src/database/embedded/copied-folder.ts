import { chmod, lchown, lstat, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "../../platform/logger.js";
import type { DatabaseUser } from "./user.js";

// What volumes and copies do to a data folder: Kubernetes adds permissions for a group, copies by root belong to root, and
// archives and object stores lose empty folders. What can only be meant in one way is repaired; for the rest, an error says
// what is wrong and which command helps.

/** Folders that are usually empty in a server that was stopped, and that PostgreSQL does not make. */
const emptyFolders = [
  "pg_commit_ts",
  "pg_dynshmem",
  "pg_logical",
  "pg_logical/mappings",
  "pg_logical/snapshots",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat",
  "pg_stat_tmp",
  "pg_tblspc",
  "pg_twophase",
  "pg_wal/archive_status",
  "pg_wal/summaries",
];

/** What every stopped server has. In folders, there is at least one entry. */
const needed = [
  "PG_VERSION",
  "base",
  "base/1",
  "base/1/PG_VERSION",
  "global",
  "global/pg_control",
  "pg_hba.conf",
  "pg_ident.conf",
  "pg_multixact/members",
  "pg_multixact/offsets",
  "pg_wal",
  "pg_xact",
];

/** PostgreSQL refuses a folder with more than 0750. */
const refusedModes = 0o027;

/**
 * Makes owner, mode and empty folders of PostgreSQL's data folder such that a server can start on it, and says what it has
 * changed.
 *
 * @throws Error if it is incomplete, or if its owner is another account than the one that runs the server
 */
export async function repairCopiedFolder(
  data: string,
  { user, logger }: { user: DatabaseUser | undefined; logger: Pick<Logger, "warn"> },
): Promise<void> {
  await refuseIncomplete(data);
  if (await repairOwner(data, user))
    logger.warn(
      { folder: data, uid: user?.uid },
      "PostgreSQL's folder belonged to root; it belongs to PostgreSQL's account again",
    );
  const { mode } = await lstat(data);
  if (process.platform !== "win32" && (mode & refusedModes) !== 0) {
    await chmod(data, 0o700);
    logger.warn({ folder: data }, "PostgreSQL's folder was open to other accounts; its mode is 0700 again");
  }
  const restored: string[] = [];
  for (const name of emptyFolders) {
    const folder = path.join(data, name);
    const made = await mkdir(folder, { mode: 0o700 }).then(() => true, ignoreExisting);
    if (!made) continue;
    restored.push(name);
    if (user !== undefined) await lchown(folder, user.uid, user.gid);
  }
  if (restored.length > 0)
    logger.warn({ folder: data, restored }, "PostgreSQL's folder had lost empty folders; they were made again");
}

async function refuseIncomplete(data: string): Promise<void> {
  for (const name of needed) {
    const place = path.join(data, name);
    const found = await lstat(place).catch(ignoreMissing);
    if (found !== undefined && !(found.isDirectory() && (await readdir(place)).length === 0)) continue;
    throw new Error(
      `${data} is an incomplete copy of a data folder: ${name} is ${found === undefined ? "missing" : "empty"}; copy all of it ` +
        "while the relay is stopped (cp -a), or restore a backup into a new DATA_DIR (docs/how-to/backup.md)",
    );
  }
}

/**
 * What root copied becomes the server's again. Only if the folder itself belongs to root: in its own folder, the server's
 * account could have put links to files of others. Returns whether anything was changed.
 */
async function repairOwner(data: string, user: DatabaseUser | undefined): Promise<boolean> {
  const owner = await lstat(data);
  if (user !== undefined) {
    if (owner.uid !== 0) return false;
    await giveTo(user, data);
    return true;
  }
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || owner.uid === uid) return false;
  const folder = path.dirname(path.dirname(data));
  throw new Error(
    `${data} belongs to the account ${owner.uid}, but the relay runs as ${uid}: run \`chown -R ${uid}:${gid} ${folder}\` as root`,
  );
}

/** The folder comes last, so that an interrupted change is repeated. */
async function giveTo(user: DatabaseUser, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await giveTo(user, place);
    else await lchown(place, user.uid, user.gid);
  }
  await lchown(folder, user.uid, user.gid);
}

function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== "EEXIST") throw error;
  return false;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
