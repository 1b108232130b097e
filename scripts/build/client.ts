import { readdir, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { build } from "esbuild";
import { writeTypes } from "./declarations.js";
import { writeLicences } from "./licences.js";
import { withoutUnusedCurves, withoutUnusedHpke } from "./unused-cryptography.js";

const source = "src/client";
const target = "src/client/dist";

/**
 * Builds the package `@mls-relay/client` in `src/client`. Its code is bundled, so it needs none of the relay's files
 * and installs without the cryptographic packages, of which it uses a small part. Each of its modules stays separate,
 * so that a bundler can leave out what an application does not use.
 */
export async function buildClient(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const modules = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const { metafile } = await build({
    entryPoints: modules.map((name) => join(source, name)),
    outdir: target,
    outbase: source,
    chunkNames: "shared/[name]-[hash]",
    absWorkingDir: process.cwd(),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    plugins: [withoutUnusedCurves, withoutUnusedHpke],
    // LICENSES.txt has them in full.
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(metafile, join(target, "LICENSES.txt"));
  // Every module was an entry point, so each got its own file; the package has one, and those that it loads later.
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const later = new Set(imports.flatMap(({ path, kind }) => (kind === "dynamic-import" ? [path] : [])));
  const files = modules.map((name) => `${target}/${name.replace(/ts$/, "js").split(sep).join("/")}`);
  const isKept = (file: string) => file === `${target}/index.js` || later.has(file);
  const isEmpty = (folder: string) => !files.some((file) => isKept(file) && file.startsWith(`${folder}/`));
  await Promise.all(files.filter((file) => !isKept(file)).map((file) => rm(file)));
  await Promise.all([...new Set(files.map(dirname))].filter(isEmpty).map((folder) => rm(folder, { recursive: true })));
  await writeTypes({ source, target });
}
