import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { writeTypes } from "./declarations.js";
import { writeLicences } from "./licences.js";
import { loadedLater } from "./loaded-later.js";
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
  const options = {
    absWorkingDir: process.cwd(),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    plugins: [withoutUnusedCurves, withoutUnusedHpke],
    // LICENSES.txt has them in full.
    legalComments: "none",
    logLevel: "warning",
  } satisfies BuildOptions;
  const folder = join(target, "shared");
  const later = await loadedLater({ entry: join(source, "index.ts"), folder, from: "./" }, options);
  const { metafile } = await build({
    ...options,
    entryPoints: modules.map((name) => join(source, name)),
    outdir: target,
    outbase: source,
    chunkNames: "shared/[name]-[hash]",
    splitting: true,
    plugins: [later.plugin, ...options.plugins],
    metafile: true,
  });
  await writeLicences(later, join(target, "LICENSES.txt"));
  // Every module was an entry point, so each got its own file; the package has one, and what that imports.
  const needed = new Set([`${target}/index.js`]);
  for (const file of needed)
    for (const { path } of metafile.outputs[file]?.imports ?? []) if (path in metafile.outputs) needed.add(path);
  const written = Object.keys(metafile.outputs);
  await Promise.all(written.filter((file) => !needed.has(file)).map((file) => rm(file)));
  const folders = [...new Set(written.map(dirname))].filter((path) => path !== target && path !== folder);
  await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })));
  await writeTypes({ source, target });
}
