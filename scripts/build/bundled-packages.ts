import { build } from "esbuild";
import { writeLicences } from "./licences.js";

/**
 * Builds the packages behind the `bundled-packages.ts` of a folder of the relay into that one file. Installing the relay then
 * brings a hundred packages less, of which it used a part.
 */
export async function buildBundledPackages(folder: string): Promise<void> {
  const outfile = `dist/${folder}/bundled-packages.js`;
  const { metafile } = await build({
    entryPoints: [`${folder}/bundled-packages.ts`],
    outfile,
    absWorkingDir: process.cwd(),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Some of the packages are CommonJS and require modules of Node.js.
    banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(metafile, `dist/${folder}/bundled-packages.LICENSES.txt`);
}
