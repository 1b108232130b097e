import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { writeLicences } from "./licences.js";

const source = "src/conformance";
const target = "src/conformance/dist";

/**
 * The dependencies of the package. Everything else is bundled: rules of the relay and of the client, hashes, ciphers.
 */
const external = ["ajv", "commander", "jose", "ws"];

/** Builds the package `@mls-relay/conformance`: its program, and a copy of the contract. */
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
    external,
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(metafile, join(target, "LICENSES.txt"));
  await copyFile("generated/openapi.json", join(target, "openapi.json"));
}
