import { build } from "esbuild";
import { writeLicences } from "./licences.js";

/**
 * Bundles the packages that a file of the relay imports into that file. Installing the relay then needs a hundred
 * packages fewer, of which it used only some.
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
