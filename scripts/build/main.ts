import { fileURLToPath } from "node:url";
import { build as viteBuild } from "vite";
import { buildBundledPackages } from "./bundled-packages.js";
import { buildClient } from "./client.js";
import { compressFolder } from "./compress.js";
import { buildPages } from "./pages.js";
import { unlessUnchanged } from "./unless-unchanged.js";

/** What of a build tsc does not do, by name. Each part is left out where nothing has changed since it was last built. */
const parts: Readonly<Record<string, { inputs: readonly string[]; output: string; build(): Promise<void> }>> = {
  packages: bundledPackagesOf("src/http"),
  "packages of acme": bundledPackagesOf("src/platform/acme"),
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

function bundledPackagesOf(folder: string) {
  return {
    inputs: [`${folder}/bundled-packages.ts`, `dist/${folder}/bundled-packages.js`],
    output: `dist/${folder}/bundled-packages.LICENSES.txt`,
    build: () => buildBundledPackages(folder),
  };
}

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await unlessUnchanged(name, part, part.build);
}
