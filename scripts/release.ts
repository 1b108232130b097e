import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildCopy } from "./release/copy.js";
import { differencesOf } from "./release/differences.js";

// Builds what a release publishes into dist/release/, from the last commit: twice, in two folders of other names, with
// the bytes compared. A difference means that a file depends on the time, the folder or the order of files. Nothing is
// published.

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const target = "dist/release";
const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

if (git("status", "--porcelain") !== "") {
  console.error(
    "mls-relay: the release is built from the last commit; the changes that are not committed are not in it",
  );
}
const commit = git("rev-parse", "HEAD");
noteRehearsal();
const epochSeconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? git("log", "-1", "--format=%ct"));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const outputs: string[] = [];
for (const name of ["first", "second-in-a-longer-folder"]) {
  console.error(`mls-relay: building ${commit.slice(0, 8)} (${name})`);
  outputs.push(await buildCopy({ folder: join(target, name), commit, epochSeconds }));
}
const [first = "", second = ""] = outputs;
const differing = await differencesOf(first, second);
if (differing.length > 0) {
  console.error(`mls-relay: two builds of ${commit} differ in ${differing.join(", ")}; both are kept in ${target}`);
  process.exit(1);
}
await moveIntoPlace(first);
for (const folder of ["first", "second-in-a-longer-folder"]) await rm(join(target, folder), { recursive: true });
console.log(await readFile(join(target, "SHA256SUMS"), "utf8"));

/** Says if the version promises nothing yet. */
function noteRehearsal(): void {
  const { version } = JSON.parse(git("show", `${commit}:package.json`)) as { version: string };
  const file = `spec/released/${version}.json`;
  const isThere = git("ls-tree", "--name-only", commit, file) !== "";
  const manifest = isThere ? (JSON.parse(git("show", `${commit}:${file}`)) as { released: string | null }) : null;
  if (manifest?.released) return;
  console.error(
    `mls-relay: this is a rehearsal: \`npm run lab -- freeze --release\` has not been committed for ${version}`,
  );
}

/** Moves the files of a build to the release, and adds their hashes. */
async function moveIntoPlace(output: string): Promise<void> {
  const names = (await readdir(output)).sort();
  const lines: string[] = [];
  for (const name of names) {
    const hash = createHash("sha256").update(await readFile(join(output, name)));
    lines.push(`${hash.digest("hex")}  ${name}\n`);
    await rename(join(output, name), join(target, name));
  }
  await writeFile(join(target, "SHA256SUMS"), lines.join(""));
}
