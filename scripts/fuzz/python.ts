import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The folder of programs of a Python environment with exactly these packages, made at the first call and kept in the
 * user's cache folder, one for each content of the file. Throws an error with advice if there is no Python.
 */
export async function pythonPrograms(requirementsFile: string): Promise<string> {
  const requirements = await readFile(requirementsFile, "utf8");
  const name = createHash("sha256").update(requirements).digest("hex").slice(0, 16);
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const folder = join(caches, "mls-relay", `python-${name}`);
  const programs = join(folder, "bin");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return programs;
  // An unfinished earlier attempt is not trusted.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  console.log(`Making a Python environment in ${folder}`);
  run("python3", ["-m", "venv", folder], "Python 3.10 or later with venv is needed: apt-get install python3-venv");
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirementsFile];
  run(join(programs, "python"), install, "the Python packages could not be installed");
  await writeFile(complete, "");
  return programs;
}

function run(command: string, args: readonly string[], advice: string): void {
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(error === undefined ? advice : `${advice} (${error.message})`);
}
