import { build } from "esbuild";
import { writeLicences } from "./licences.js";

/**
 * Builds the packages behind `src/http/bundled-packages.ts` into that one file. Installing the relay then brings a hundred
 * packages less, of which it used a part.
 */
export async function buildBundledPackages(): Promise<void> {
  const outfile = "dist/src/http/bundled-packages.js";
  const { metafile } = await build({
    entryPoints: ["src/http/bundled-packages.ts"],
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
  await writeLicences(metafile, "dist/src/http/bundled-packages.LICENSES.txt");
}
