import { resolve } from "node:path";
import { build as bundle } from "esbuild";
import { build, type Plugin } from "vite";
import { compressFolder } from "./compress.js";
import { writeLicences } from "./licences.js";
import { unusedCryptography, withoutUnused as unusedInBundle, withoutUnusedCurves } from "./unused-cryptography.js";

/** Builds a page of `src/`, with compressed copies of every file and the licences of the bundled packages. */
export async function buildPage(name: "app" | "console"): Promise<void> {
  const target = `dist/${name}`;
  const built = await build({ configFile: `src/${name}/vite.config.ts`, logLevel: "warn", plugins: [withoutUnused] });
  const pushed = name === "app" ? await buildOpener(target) : [];
  const files = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  await writeLicences(
    { inputs: Object.fromEntries([...modules, ...pushed].map((id) => [id, null])) },
    `${target}/LICENSES.txt`,
  );
  await compressFolder(target);
}

/** What the messenger's service worker loads when a push comes: service workers cannot load modules later. Returns the files that are in it. */
async function buildOpener(target: string): Promise<string[]> {
  const { metafile } = await bundle({
    entryPoints: { push: "src/app/push-worker.ts" },
    outdir: target,
    absWorkingDir: process.cwd(),
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    // LICENSES.txt has them in full.
    legalComments: "none",
    plugins: [unusedInBundle, withoutUnusedCurves],
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs).map((name) => resolve(name));
}

const unused = "\0unused:";

const withoutUnused: Plugin = {
  name: "without unused cryptography",
  enforce: "pre",
  // @hpke imports "crypto" where there is no Web Cryptography; every browser has it.
  resolveId: (id) => (id === "crypto" || unusedCryptography.test(id) ? unused + id : undefined),
  load: (id) => (id.startsWith(unused) ? 'throw new Error("not part of this page"); export default {};' : undefined),
};
