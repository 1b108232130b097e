import { build } from "esbuild";
import { writeLicences } from "./licences.js";

/**
 * Builds the packages behind a file of the relay into that one file. Installing the relay then brings a hundred packages less,
 * of which it used a part.
 *
 * @param source without its ending, like `src/http/pages/bundled-packages`
 */
export async function buildBundledPackages(source: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [`${source}.ts`],
    outfile: `dist/${source}.js`,
    absWorkingDir: process.cwd(),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // The sources of loaded code stay in memory.
    minifyWhitespace: true,
    // Some of the packages are CommonJS and require modules of Node.js.
    banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(metafile, `dist/${source}.LICENSES.txt`);
}
