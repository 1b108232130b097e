import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const maxOutputBytes = 2 ** 24;

/** The built relay of a release. */
export interface EarlierProgram {
  /** For `node`. */
  program: string;
  /** What it was made of. */
  origin: string;
  /** Whether it was made of the working tree, and so differs from this version in nothing. */
  isThisOne: boolean;
  remove(): Promise<void>;
}

/**
 * Unpacks the package of a release: the tarball that EARLIER_PACKAGE names, or the one in `dist/release/` once the version is
 * released. Before that, the working tree is packed. It finds the project's packages.
 */
export async function unpackProgram(version: string): Promise<EarlierProgram> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-earlier-"));
  const { tarball, origin, isThisOne } = await findTarball(version, folder);
  await mkdir(join(folder, "package"));
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(folder, "package")]);
  await symlink(join(project, "node_modules"), join(folder, "package/node_modules"));
  const program = join(folder, "package/dist/src/cli/main.js");
  return { program, origin, isThisOne, remove: () => rm(folder, { recursive: true }) };
}

async function findTarball(
  version: string,
  folder: string,
): Promise<Pick<EarlierProgram, "origin" | "isThisOne"> & { tarball: string }> {
  const named = process.env["EARLIER_PACKAGE"];
  if (named !== undefined) return { tarball: named, origin: named, isThisOne: false };
  const manifest = JSON.parse(await readFile(join(project, `spec/released/${version}.json`), "utf8"));
  const built = join(project, `dist/release/mls-relay-${version}.tgz`);
  if (manifest.released !== null && existsSync(built)) return { tarball: built, origin: built, isThisOne: false };
  const options = { cwd: project, maxBuffer: maxOutputBytes };
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], options);
  const tarball = join(folder, stdout.trim().split("\n").at(-1) ?? "");
  const origin = `the working tree, because there is no released package of ${version}`;
  return { tarball, origin, isThisOne: true };
}
