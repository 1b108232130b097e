import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generate } from "./generate/main.js";
import { findStalePages } from "./generate/pages.js";

/**
 * Files in `generated/` that differ from what `spec/` generates, including missing and superfluous ones, and pages of the
 * manual whose tables differ from the code.
 */
export async function findStale(project: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-generated-"));
  try {
    await cp(join(project, "spec"), join(folder, "spec"), { recursive: true });
    await mkdir(join(folder, "generated"));
    await generate(pathToFileURL(`${folder}/`));
    const stale = await compareFolders(join(folder, "generated"), join(project, "generated"));
    const pages = await findStalePages(pathToFileURL(`${project}/`));
    return [...stale.map((name) => `generated/${name}`), ...pages];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareFolders(made: string, committed: string): Promise<string[]> {
  const names = [...new Set([...(await readdir(made)), ...(await readdir(committed))])].sort();
  const same = await Promise.all(
    names.map(async (name) => (await readText(join(made, name))) === (await readText(join(committed, name)))),
  );
  return names.filter((_, index) => !same[index]);
}

function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
