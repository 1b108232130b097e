import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generate } from "./generate/main.js";

/** Names of files in `generated/` that differ from what `spec/` generates, including missing and superfluous ones. */
export async function findStale(project: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-generated-"));
  try {
    await cp(join(project, "spec"), join(folder, "spec"), { recursive: true });
    await mkdir(join(folder, "generated"));
    await generate(pathToFileURL(`${folder}/`));
    return await compareFolders(join(folder, "generated"), join(project, "generated"));
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
