import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBundledPackages } from "./bundled-packages.js";
import { buildClient } from "./client.js";
import { compressFolder } from "./compress.js";
import { buildConformance } from "./conformance.js";
import { buildPages } from "./pages.js";
import { unlessUnchanged } from "./unless-unchanged.js";

/** The parts of a build after the compiler, by name. Each part is left out where nothing has changed since it was last built. */
const parts: Readonly<Record<string, { inputs: readonly string[]; output: string; build(): Promise<void> }>> = {
  packages: bundledPackagesOf("src/http/pages/bundled-packages"),
  "packages of validation": bundledPackagesOf("src/http/validation/bundled-validator"),
  "packages of acme": bundledPackagesOf("src/platform/acme/bundled-packages"),
  console: {
    inputs: ["src/console", "src/client", "src/protocol", "generated"],
    output: "dist/console",
    async build() {
      // Loaded here: most calls find that nothing has changed.
      const { build } = await import("vite");
      await build({ configFile: "src/console/vite.config.ts", logLevel: "warn" });
      await compressFolder("dist/console");
    },
  },
  pages: { inputs: ["scripts/build"], output: "dist/pages", build: buildPages },
  client: {
    inputs: ["src/client", "src/protocol", "generated", "scripts/build"],
    output: "src/client/dist",
    build: buildClient,
  },
  conformance: {
    inputs: ["src/conformance", "src/client", "src/protocol", "src/platform/print.ts", "generated", "scripts/build"],
    output: "src/conformance/dist",
    build: buildConformance,
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

/** Removes what was compiled of sources that are gone or no part of the relay: its package would have them. */
async function removeStale(): Promise<void> {
  const { default: ts } = await import("typescript");
  const { config } = ts.readConfigFile("tsconfig.build.json", ts.sys.readFile);
  const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const compiled = new Set(fileNames.map((name) => relative(process.cwd(), name).replace(/\.tsx?$/, ".js")));
  for (const name of readdirSync("dist/src", { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".js") && !compiled.has(join("src", name))) rmSync(join("dist/src", name));
  }
}

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const names = process.argv.slice(2);
if (names.length === 0) {
  compile();
  await removeStale();
}
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await unlessUnchanged(name, part, part.build);
}
