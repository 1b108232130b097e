import { constants } from "node:fs";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DatabaseUser, run } from "./user.js";

/** The server programs of one npm package. */
export interface Binaries {
  postgres: string;
  initdb: string;
  /** PostgreSQL's major version, such as 18. */
  major: number;
}

interface NativePackage {
  /** The folder that holds bin, lib and share. */
  native: string;
  version: string;
}

/**
 * Finds server programs that `user` can run: those in node_modules or, if that user cannot reach them or the links between
 * the libraries cannot be made there, a copy in a cache folder that only this account may write to.
 */
export async function findBinaries(deps: {
  serverPackage: string;
  user: DatabaseUser | undefined;
  ownFolder: string;
}): Promise<Binaries> {
  const { serverPackage, user, ownFolder } = deps;
  const source = await findPackage(serverPackage);
  await linkLibraries(source.native).catch(() => undefined);
  const original = await examine(source.native, { source, user });
  if (original.works) return original.binaries;

  const failures = [`${source.native}: ${original.output}`];
  for (const cache of cacheFolders(user, ownFolder)) {
    const copied = await copyInto(cache, source).catch((error: Error) => error);
    if (copied instanceof Error) {
      failures.push(`${cache}: ${copied.message}`);
      continue;
    }
    const copy = await examine(copied, { source, user });
    if (copy.works) return copy.binaries;
    failures.push(`${copied}: ${copy.output}`);
  }
  throw new Error(`the embedded PostgreSQL cannot be run from any folder:\n${failures.join("\n")}`);
}

/** The settings of the server are known to it and later ones. */
const oldestMajor = 15;

/** The programs in a folder that the operator names: those of the system, for instance. */
export async function binariesIn(folder: string, user: DatabaseUser | undefined): Promise<Binaries> {
  const [postgres, initdb] = [path.join(folder, "postgres"), path.join(folder, "initdb")];
  const [major, same] = [await majorOfProgram(postgres, user), await majorOfProgram(initdb, user)];
  if (major === same) return { postgres, initdb, major };
  throw new Error(`EMBEDDED_POSTGRES_BIN: ${postgres} is of PostgreSQL ${major}, and ${initdb} of ${same}`);
}

async function majorOfProgram(program: string, user: DatabaseUser | undefined): Promise<number> {
  const { succeeded, output } = await run(program, ["--version"], { user, cwd: "/" });
  if (!succeeded) throw new Error(`EMBEDDED_POSTGRES_BIN: ${program} cannot be run: ${output.trim()}`);
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1]);
  if (major >= oldestMajor) return major;
  throw new Error(`EMBEDDED_POSTGRES_BIN: ${program} is not of PostgreSQL ${oldestMajor} or later: ${output.trim()}`);
}

async function findPackage(serverPackage: string): Promise<NativePackage> {
  const platformPackage = `@embedded-postgres/${platformName()}-${process.arch}`;
  try {
    const named = createRequire(import.meta.url).resolve(serverPackage);
    const brings = await lstat(path.join(packageOf(named), "native")).catch(() => undefined);
    const folder = packageOf(brings ? named : createRequire(named).resolve(platformPackage));
    const manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as { version: string };
    return { native: path.join(folder, "native"), version: manifest.version };
  } catch (cause) {
    const problem = `there is no embedded PostgreSQL for this machine (${platformPackage} is not installed)`;
    throw new Error(`${problem}: set DATABASE_URL`, { cause });
  }
}

/** The packages of the programs and the package that selects one both have their entry point one folder down. */
function packageOf(entry: string): string {
  return path.dirname(path.dirname(entry));
}

function platformName(): string {
  return process.platform === "win32" ? "windows" : process.platform;
}

/** Makes the links between library names, which an npm archive cannot hold, unless an install script has made them. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const to = path.join(native, "..", target);
    await symlink(path.relative(path.dirname(target), source), to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Makes the server describe its settings, which loads every library and finds the files beside the program. */
async function examine(native: string, deps: { source: NativePackage; user: DatabaseUser | undefined }) {
  const postgres = path.join(native, "bin", "postgres");
  const initdb = path.join(native, "bin", "initdb");
  const { succeeded, output } = await run(postgres, ["--describe-config"], { user: deps.user, cwd: "/" });
  return { works: succeeded, output, binaries: { postgres, initdb, major: Number.parseInt(deps.source.version, 10) } };
}

function cacheFolders(user: DatabaseUser | undefined, ownFolder: string): string[] {
  if (!user) return [path.join(ownFolder, "programs")];
  return ["/var/cache/mls-relay", path.join(tmpdir(), "mls-relay-programs")];
}

/** Copies the programs next to their destination and renames them in one step, so that a copy is always complete. */
async function copyInto(cache: string, source: NativePackage): Promise<string> {
  await mkdir(cache, { recursive: true, mode: 0o755 });
  await refuseForeign(cache);
  await chmod(cache, 0o755);
  const target = path.join(cache, `postgres-${source.version}-${process.platform}-${process.arch}`);
  if (await lstat(target).catch(() => undefined)) return target;
  const unfinished = await mkdtemp(path.join(cache, "copy-"));
  try {
    const native = path.join(unfinished, "native");
    await cp(source.native, native, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (file) => !file.endsWith(".a"),
    });
    await linkLibraries(native);
    await openToAll(native);
    await rename(native, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    return target;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Root must not run programs from a folder that somebody else could have created or may write to. */
async function refuseForeign(cache: string): Promise<void> {
  const found = await lstat(cache);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error("it belongs to another account or others may write to it");
  }
}

/** Lets every account read and run the files, whatever the umask was when they were installed. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(file);
    else if (entry.isFile()) await chmod(file, path.basename(folder) === "bin" ? 0o755 : 0o644);
  }
}
