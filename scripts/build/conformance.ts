import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { writeLicences } from "./licences.js";

const source = "src/conformance";
const target = "src/conformance/dist";

/**
 * Builds the package `@mls-relay/conformance`: its program, and a copy of the contract. Everything it uses is bundled, so
 * that `npx` runs it from the tarball without a registry.
 */
export async function buildConformance(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [join(source, "main.ts")],
    outdir: target,
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
  await writeLicences(metafile, join(target, "LICENSES.txt"));
  await copyFile("generated/openapi.json", join(target, "openapi.json"));
}
