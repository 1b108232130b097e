import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { demand } from "./toolchain.js";

const openapiGeneratorVersion = "7.16.0";
const progenitorVersion = "0.15.1";

/** Where downloads and build products are cached, outside the project. */
const cacheFolder = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "mls-relay");

/** A folder with the npm packages of `manifest`, a package.json; one for each content of it. */
export async function npmPackages(manifest: string): Promise<string> {
  const digest = createHash("sha256")
    .update(await readFile(manifest))
    .digest("hex")
    .slice(0, 16);
  return once(join(cacheFolder, `npm-${digest}`), async (folder) => {
    await copyFile(manifest, join(folder, basename(manifest)));
    await demand("npm", ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"], folder);
  });
}

/** The jar of openapi-generator, from Maven's central repository. */
export async function openapiGeneratorJar(): Promise<string> {
  const folder = await once(join(cacheFolder, `openapi-generator-${openapiGeneratorVersion}`), async (target) => {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${openapiGeneratorVersion}`;
    const options = [artifact, "-Dmdep.stripVersion=true", `-DoutputDirectory=${target}`];
    await demand("mvn", ["-q", "dependency:copy", ...options], target);
  });
  return join(folder, "openapi-generator-cli.jar");
}

export async function progenitorProgram(): Promise<string> {
  const folder = await once(join(cacheFolder, `progenitor-${progenitorVersion}`), async (root) => {
    const options = ["--version", progenitorVersion, "--locked", "--root", root, "--target-dir", join(root, "target")];
    await demand("cargo", ["install", "-q", "cargo-progenitor", ...options], root);
    await rm(join(root, "target"), { recursive: true, force: true });
  });
  return join(folder, "bin", "cargo-progenitor");
}

/** A Rust client's dependencies are compiled once. */
export const cargoTarget = join(cacheFolder, "cargo-target");

async function once(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  const complete = join(folder, "complete");
  if (existsSync(complete)) return folder;
  // An unfinished earlier attempt is not trusted.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  console.log(`Getting ${basename(folder)}`);
  await make(folder);
  await writeFile(complete, "");
  return folder;
}
