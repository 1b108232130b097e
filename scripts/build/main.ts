import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compiler } from "./compiler.js";
import { type Part, unlessUnchanged } from "./unless-unchanged.js";

/** What the compiled code reads beside itself. */
const migrationsSql = "src/database/migrations/sql";
const workspaces = ["src/client", "src/groups", "src/conformance", "src/console", "src/app"];

/**
 * In build order. The code that builds a part is loaded only then, because most calls find that nothing has changed.
 */
const parts: Readonly<Record<string, Part>> = {
  server: {
    inputs: ["src", "generated", "tsconfig.build.json"],
    except: workspaces,
    output: "dist/src/cli/main.js",
    build: compile,
  },
  console: {
    inputs: ["src/console", "src/client", "src/protocol", "generated", "scripts/build"],
    output: "dist/console",
    async build() {
      const { buildPage } = await import("./bundled-page.js");
      await buildPage("console");
    },
  },
  app: {
    inputs: ["src/app", "src/groups", "src/client", "src/protocol", "generated", "scripts/build"],
    output: "dist/app",
    async build() {
      const { buildPage } = await import("./bundled-page.js");
      await buildPage("app");
    },
  },
  pages: {
    inputs: ["scripts/build"],
    output: "dist/pages",
    build: async () => (await import("./pages.js")).buildPages(),
  },
  client: {
    inputs: ["src/client", "src/protocol", "generated", "scripts/build"],
    output: "src/client/dist",
    build: async () => (await import("./client.js")).buildClient(),
  },
  groups: {
    inputs: ["src/groups", "src/client", "src/protocol", "generated", "scripts/build"],
    output: "src/groups/dist",
    build: async () => (await import("./groups.js")).buildGroups(),
  },
  conformance: {
    inputs: ["conformance", "groups", "client", "protocol", "platform", "auth"]
      .map((name) => `src/${name}`)
      .concat("generated", "scripts/build"),
    output: "src/conformance/dist",
    build: async () => (await import("./conformance.js")).buildConformance(),
  },
};

/** Ends the build if a source has an error, which the compiler has printed. */
async function compile(): Promise<void> {
  if (!existsSync("dist/src")) console.error("mls-relay: the first build takes half a minute");
  const { status } = spawnSync(compiler, ["-p", "tsconfig.build.json"], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  await removeStale();
  rmSync(join("dist", migrationsSql), { recursive: true, force: true });
  cpSync(migrationsSql, join("dist", migrationsSql), { recursive: true });
}

/** Removes the output of sources that are gone or do not belong to the relay, because its package would contain it. */
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
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await unlessUnchanged(name, part);
}
