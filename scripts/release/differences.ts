import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The names of the files that only one of two folders has, or whose bytes differ. */
export async function differencesOf(one: string, other: string): Promise<string[]> {
  const names = new Set([...(await readdir(one)), ...(await readdir(other))]);
  const differing: string[] = [];
  for (const name of [...names].sort()) {
    const [first, second] = await Promise.all(
      [one, other].map((folder) => readFile(join(folder, name)).catch(() => null)),
    );
    if (!first || !second || !first.equals(second)) differing.push(name);
  }
  return differing;
}
