import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const stamps = "dist/.stamps";

/** Files besides its own inputs that every part of the build depends on. */
const common = ["package-lock.json", "tsconfig.json"];

/** Builds a part and says so, unless its output is there and its inputs have the content that it was built of. */
export async function unlessUnchanged(
  name: string,
  { inputs, output }: { inputs: readonly string[]; output: string },
  build: () => Promise<void>,
): Promise<void> {
  const stamp = join(stamps, name);
  const built = await readFile(stamp, "utf8").catch(() => undefined);
  if (existsSync(output) && built === (await hashOf(inputs))) return;
  console.error(`mls-relay: building ${name}`);
  await build();
  await mkdir(stamps, { recursive: true });
  // Hashed again: the build may have written one of its inputs.
  await writeFile(stamp, await hashOf(inputs));
}

async function hashOf(inputs: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const input of [...common, ...inputs]) {
    for (const file of await filesOf(input))
      hash
        .update(file)
        .update("\0")
        .update(await readFile(file))
        .update("\0");
  }
  return hash.digest("hex");
}

/** The files of a folder, or the file itself; what a build wrote into a folder of sources is not one of them. */
async function filesOf(input: string): Promise<string[]> {
  if (!existsSync(input)) return [];
  if (!(await stat(input)).isDirectory()) return [input];
  const entries = await readdir(input, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !/[\\/](dist|node_modules)[\\/]/.test(file)).sort();
}
