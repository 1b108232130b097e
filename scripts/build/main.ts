import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build as viteBuild } from "vite";
import { buildBundledPackages } from "./bundled-packages.js";
import { buildClient } from "./client.js";
import { compressFolder } from "./compress.js";
import { buildPages } from "./pages.js";
import { unlessUnchanged } from "./unless-unchanged.js";

/** The parts of a build after the compiler, by name. Each part is left out where nothing has changed since it was last built. */
const parts: Readonly<Record<string, { inputs: readonly string[]; output: string; build(): Promise<void> }>> = {
  packages: bundledPackagesOf("src/http/bundled-packages"),
  "packages of validation": bundledPackagesOf("src/http/bundled-validator"),
  "packages of acme": bundledPackagesOf("src/platform/acme/bundled-packages"),
  console: {
    inputs: ["src/console", "src/sdk", "src/protocol", "generated"],
    output: "dist/console",
    async build() {
      await viteBuild({ configFile: "src/console/vite.config.ts", logLevel: "warn" });
      await compressFolder("dist/console");
    },
  },
  pages: { inputs: ["scripts/build"], output: "dist/pages", build: buildPages },
  client: {
    inputs: ["src/sdk", "src/protocol", "generated", "scripts/build"],
    output: "src/sdk/dist",
    build: buildClient,
  },
};

function bundledPackagesOf(source: string) {
  return {
    inputs: [`${source}.ts`, "scripts/build/bundled-packages.ts", `dist/${source}.js`],
    output: `dist/${source}.LICENSES.txt`,
    build: () => buildBundledPackages(source),
  };
}

/** Ends the build where a source has an error, which the compiler has printed. */
function compile(): void {
  console.error(
    existsSync("dist/src") ? "mls-relay: compiling" : "mls-relay: compiling; the first build takes about a minute",
  );
  const { status } = spawnSync("node_modules/.bin/tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const names = process.argv.slice(2);
if (names.length === 0) compile();
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await unlessUnchanged(name, part, part.build);
}
