import { readFile, stat, statfs } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../composition/config.js";
import { packageRoot } from "../platform/package-root.js";
import { beyondOpenFiles, readOpenFilesLimit } from "../process/open-files.js";
import { mebibyte } from "../protocol/units.js";
import { adviceForMissing, type Finding, failure, ok, warning } from "./doctor-finding.js";

const scarcePercent = 10;
const gibibyte = 1024 * mebibyte;
/** PostgreSQL writes its log in files of 16 MiB and stops if it cannot create the next one. */
const fullBytes = 64 * mebibyte;

export async function checkNode(): Promise<Finding> {
  const { engines } = JSON.parse(await readFile(new URL("package.json", packageRoot()), "utf8"));
  const min = String(engines.node).replace(">=", "");
  const [found, wanted] = [process.versions.node, min].map((text) => text.split(".").map(Number));
  const isOld = (found ?? []).some((part, i) => {
    const same = (found ?? []).slice(0, i).every((each, at) => each === wanted?.[at]);
    return same && part < (wanted?.[i] ?? 0);
  });
  const message = `Node.js ${process.versions.node}`;
  return isOld ? failure("node", message, `install Node.js ${min} or later`) : ok("node", message);
}

/** As many connections as are allowed need as many open files. */
export async function checkOpenFiles(config: Pick<Config, "connectionsPerNode" | "streamsPerNode">): Promise<Finding> {
  const limit = await readOpenFilesLimit();
  const problem = beyondOpenFiles(limit, config);
  if (problem !== undefined)
    return warning("open files", problem.message, `${problem.advice}, if the relay has this limit, too`);
  return ok("open files", limit === null ? "this system does not tell their limit" : `up to ${limit}`);
}

/** Free space for the embedded database and the backups. */
export async function checkDisk(
  config: Pick<Config, "dataDir" | "backupDir">,
  running: string | null,
): Promise<Finding[]> {
  const folders = [config.dataDir, config.backupDir].filter((folder) => folder !== null);
  return Promise.all(folders.map((folder) => checkFolder(folder, running)));
}

async function checkFolder(folder: string, running: string | null): Promise<Finding> {
  const path = resolve(folder);
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return evaluateSpace(path, { free: bavail * bsize, total: blocks * bsize });
  } catch {
    return warning("disk", `${path} does not exist`, adviceForMissing("DATA_DIR and BACKUP_DIR", running));
  }
}

/** Reports a failure if PostgreSQL is about to stop, or has stopped, because the disk is full. Sizes in bytes. */
export function evaluateSpace(path: string, { free, total }: { free: number; total: number }): Finding {
  const percent = total === 0 ? 100 : Math.floor((free / total) * 100);
  const size = free >= gibibyte ? `${(free / gibibyte).toFixed(1)} GiB` : `${Math.floor(free / mebibyte)} MiB`;
  const message = `${percent} % (${size}) free in ${path}`;
  const advice = "free some space, or move the folder to a larger disk";
  if (total > 0 && free < fullBytes) return failure("disk", `${message}: the relay cannot store messages`, advice);
  return percent >= scarcePercent ? ok("disk", message) : warning("disk", message, advice);
}

/** Only the owner may be able to read the key file. */
export async function checkKeyFile(
  config: Pick<Config, "masterKey" | "masterKeyFile">,
  running: string | null,
): Promise<Finding> {
  if (config.masterKey !== null) return ok("master key", "from MASTER_KEY");
  const file = resolve(config.masterKeyFile);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    const advice = adviceForMissing("MASTER_KEY_FILE, MASTER_KEY or DATA_DIR", running);
    return warning("master key", `${file} does not exist`, advice);
  }
  if ((found.mode & 0o077) === 0) return ok("master key", file);
  return warning("master key", `other accounts can read ${file}`, `chmod 600 ${file}`);
}
