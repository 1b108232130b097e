import { randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import type { Logger } from "../../platform/logger.js";
import { type Binaries, binariesIn, findBinaries } from "./binaries.js";
import { repairCopiedFolder } from "./copied-folder.js";
import { isLocked } from "./folder-lock.js";
import { settingsFile } from "./settings.js";
import { leadWithCause } from "./start-failure.js";
import { canEnter, chooseDatabaseUser, type DatabaseUser, run } from "./user.js";

/** A data folder and the details needed to start a server on it. */
export interface Cluster {
  binaries: Binaries;
  user: DatabaseUser | undefined;
  /** The folder of PostgreSQL's own files. */
  data: string;
  /** The path of the data folder that is passed to the server; see `spell`. */
  spelling: string;
  password: string;
  logFile: string;
  /** How long the server keeps running without a process that uses it. */
  graceSeconds: number;
}

interface ClusterDeps {
  dataDir: string;
  serverPackage: string;
  programs: string | null;
  settings: Readonly<Record<string, string>>;
  graceSeconds: number;
  logger: Pick<Logger, "warn">;
}

/** Whether this folder already holds a database. */
export function hasCluster(dataDir: string): Promise<boolean> {
  return exists(path.join(dataDir, "postgres", "data", "PG_VERSION"));
}

/** The only role, and the relay's database. */
export const roleName = "relay";
export const databaseName = "relay";

// The process's working directory as a path: entering it requires no access to the folders above.
const workingDirectory = "/proc/self/cwd";

/**
 * Prepares `<dataDir>/postgres`:
 *
 *   password    the role's random password, for the relay's account alone
 *   data/       PostgreSQL's files, for the database user alone
 *   server.log  what the server says about itself
 *   server.lock locked while a server runs (folder-lock.ts)
 *   users.<pid> the pipe held open by the processes that use the server (reaper.ts)
 *
 * Several processes may do this at once: password and data folder are each made elsewhere and moved into place in one
 * step, and the second process uses the result of the first. A crash leaves nothing half-made in place.
 */
export function prepareCluster(deps: ClusterDeps): Promise<Cluster> {
  return prepare(deps).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    throw new Error(
      `account ${uid}, which runs this program, may not use ${error.path ?? deps.dataDir} (${error.code}): run commands as ` +
        `root or as the relay's account; if the relay is to run as ${uid}, run ` +
        `\`chown -R ${uid}:${gid} ${path.resolve(deps.dataDir)}\` as root, or choose another DATA_DIR`,
    );
  });
}

async function prepare(deps: ClusterDeps): Promise<Cluster> {
  await mkdir(deps.dataDir, { recursive: true });
  const folder = path.join(await realpath(deps.dataDir), "postgres");
  await mkdir(folder, { recursive: true });
  const data = path.join(folder, "data");
  const user = await chooseDatabaseUser(data);
  if (user) await chmod(folder, 0o711);
  const binaries =
    deps.programs === null
      ? await findBinaries({ serverPackage: deps.serverPackage, user, ownFolder: folder })
      : await binariesIn(path.resolve(deps.programs), user);
  const passwordFile = path.join(folder, "password");
  if ((await isFilled(data)) && !(await exists(passwordFile))) throw lostPassword(passwordFile);
  const password = await readOrMakePassword(passwordFile);
  if (!(await isFilled(data))) await initialise({ folder, data, user, binaries, password });
  await repairCopiedFolder(data, { user, logger: deps.logger });
  await refuseOtherMajor(data, binaries.major);
  // Settings are read when a server starts. Commands that join a running one work on a full disk, too.
  if ((await isLocked(data)) !== true)
    await writeSettings({ folder, data, user, text: settingsFile(binaries.major, deps.settings) });
  const logFile = path.join(folder, "server.log");
  return {
    binaries,
    user,
    data,
    spelling: await spell(data, user),
    password,
    logFile,
    graceSeconds: deps.graceSeconds,
  };
}

/**
 * The path that is passed to the server for its data folder. A relay that runs as root starts the server under another
 * account, which may be unable to traverse the path (for instance /root). Linux enters the working directory before it
 * changes the account, and `/proc/self/cwd` names that directory without its path.
 */
async function spell(data: string, user: DatabaseUser | undefined): Promise<string> {
  if (!user || (await canEnter(data, user))) return data;
  if (await exists(workingDirectory)) return workingDirectory;
  throw new Error(`the account ${user.uid} of the embedded PostgreSQL cannot enter ${data}: choose another DATA_DIR`);
}

/** Made before the data, so it is never missing by right. */
function lostPassword(file: string): Error {
  return new Error(
    `the embedded PostgreSQL's password is lost: there is no ${file}; put it back from a copy of the folder, or restore a ` +
      "backup into an empty DATA_DIR (docs/how-to/disaster.md)",
  );
}

async function readOrMakePassword(file: string): Promise<string> {
  if (!(await exists(file))) {
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, randomBytes(24).toString("base64url"), { mode: 0o600 });
    await link(draft, file).catch(ignoreExisting);
    await rm(draft);
  }
  await chmod(file, 0o600);
  return (await readFile(file, "utf8")).trim();
}

/** Makes the cluster in a temporary folder that belongs to the database user, and moves it into place. */
async function initialise(deps: {
  folder: string;
  data: string;
  user: DatabaseUser | undefined;
  binaries: Binaries;
  password: string;
}): Promise<void> {
  const { folder, user } = deps;
  const aside = await mkdtemp(path.join(folder, "new-"));
  const data = path.join(aside, "data");
  const passwordFile = path.join(aside, "password");
  try {
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, `${deps.password}\n`, { mode: 0o600 });
    if (user) await Promise.all([aside, data, passwordFile].map((file) => chown(file, user.uid, user.gid)));
    const direct = (await spell(data, user)) === data;
    const args = initdbArguments(direct ? data : workingDirectory, direct ? passwordFile : "../password");
    const { succeeded, output } = await run(deps.binaries.initdb, args, { user, cwd: data });
    if (!succeeded) {
      throw new Error(`the embedded PostgreSQL could not make its data folder: ${leadWithCause(explain(output))}`);
    }
    await rename(data, deps.data).catch(ignoreExisting);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

function explain(output: string): string {
  if (!output.includes("could not look up effective user ID")) return output;
  return `${output} (this account is missing in /etc/passwd: add it, use another account, or set DATABASE_URL; a systemd unit with DynamicUser needs Debian's package libnss-systemd)`;
}

function initdbArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${roleName}`,
    `--pwfile=${passwordFile}`,
    "--auth-host=scram-sha-256",
    "--auth-local=reject",
    "--encoding=UTF8",
    "--no-locale",
    "--data-checksums",
  ];
}

async function refuseOtherMajor(data: string, major: number): Promise<void> {
  const found = (await readFile(path.join(data, "PG_VERSION"), "utf8")).trim();
  if (Number(found) === major) return;
  throw new Error(
    `${data} was made by PostgreSQL ${found}, and this relay uses PostgreSQL ${major}: ` +
      "make a backup with the previous version of the relay, and restore it into a new DATA_DIR " +
      "(docs/how-to/backup.md), or set DATABASE_URL to a server of that version",
  );
}

/**
 * Replaces the settings by a rename, because the folder belongs to the database user, who could have put a link there.
 */
async function writeSettings(deps: {
  folder: string;
  data: string;
  user: DatabaseUser | undefined;
  text: string;
}): Promise<void> {
  const draft = path.join(deps.folder, `settings.${randomBytes(6).toString("hex")}`);
  await writeFile(draft, deps.text, { mode: 0o600 });
  if (deps.user) await chown(draft, deps.user.uid, deps.user.gid);
  await rename(draft, path.join(deps.data, "postgresql.conf"));
}

/** A volume may come with an empty folder. */
async function isFilled(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  return names.length > 0;
}

async function exists(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined);
  return found !== undefined;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST" && error.code !== "ENOTEMPTY") throw error;
}
