import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const stamps = "dist/.stamps";

/** Files besides its inputs that every part of the build depends on. */
const common = ["package-lock.json", "tsconfig.json"];

/** A part of the build: the files and folders that it reads, and a file or folder that exists once it is built. */
export interface Part {
  inputs: readonly string[];
  /** Paths within the inputs that belong to other parts. */
  except?: readonly string[];
  output: string;
  build(): Promise<void>;
}

/** Builds a part and reports it, unless its output exists and its inputs have not changed since. */
export async function unlessUnchanged(name: string, part: Part): Promise<void> {
  const stamp = join(stamps, name);
  // A file that changes while the part is built is built again the next time.
  const sources = await hashOf([...common, ...part.inputs], part.except);
  const built = await readFile(stamp, "utf8").catch(() => undefined);
  if (existsSync(part.output) && built === sources) return;
  console.error(`mls-relay: building ${name}`);
  await part.build();
  await mkdir(stamps, { recursive: true });
  await writeFile(stamp, sources);
}

async function hashOf(inputs: readonly string[], except: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const file of await filesOf(input)) {
      if (except.some((folder) => file.startsWith(join(folder, "/")))) continue;
      hash.update(file).update("\0");
      hash.update(await readFile(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

/** The files of a folder, or the file itself, except what a build wrote into a folder of sources. */
async function filesOf(input: string): Promise<string[]> {
  if (!existsSync(input)) return [];
  if (!(await stat(input)).isDirectory()) return [input];
  const entries = await readdir(input, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !/[\\/](dist|node_modules)[\\/]/.test(file)).sort();
}
