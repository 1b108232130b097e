import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { writeTypes } from "./declarations.js";
import { writeLicences } from "./licences.js";
import { loadedLater } from "./loaded-later.js";
import { withoutUnused, withoutUnusedCurves, withoutUnusedHpke, withoutUnusedMls } from "./unused-cryptography.js";

const source = "src/groups";
const target = "src/groups/dist";
const client = "@mls-relay/client";

/**
 * Builds the package `@mls-relay/groups` in `src/groups`. The MLS library is built in; the client is not, so that an application that uses
 * both packages has it once.
 */
export async function buildGroups(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const entry = join(source, "index.ts");
  const later = await loadedLater(
    {
      entry,
      folder: join(target, "shared"),
      from: "./shared/",
      packages: { [client]: "src/client/index.ts" },
      copied: /node_modules\/ts-mls\//,
    },
    common,
  );
  await build({
    ...common,
    plugins: [later.plugin, ...common.plugins],
    entryPoints: [entry],
    outdir: target,
    chunkNames: "shared/[name]-[hash]",
    splitting: true,
  });
  // It runs alone, in a service worker. What both could share would be larger in a page that loads only one of them.
  const push = await build({
    ...common,
    entryPoints: [join(source, "push/index.ts")],
    outfile: join(target, "push.js"),
  });
  const reactNative = await buildForReactNative();
  const command = await buildCommand();
  const inputs = {
    ...later.inputs,
    ...push.metafile.inputs,
    ...reactNative.inputs,
    ...command.inputs,
  };
  await writeLicences({ inputs }, join(target, "LICENSES.txt"));
  await writeTypes({
    source,
    target,
    entries: ["index", "push/index", "react-native/index"],
    packages: { "src/client/index": client },
  });
}

/** In one file with the client, for Hermes: its parts use `platform.ts` where others use the platform's globals. */
async function buildForReactNative() {
  const { metafile } = await build({
    ...common,
    entryPoints: [join(source, "react-native/index.ts")],
    outfile: join(target, "react-native.js"),
    plugins: [withoutUnused, withoutUnusedCurves, withoutUnusedHpke, withoutUnusedMls],
    inject: [join(source, "react-native/platform.ts")],
    define: { "globalThis.crypto": "crypto", "import.meta.url": "undefined" },
    supported: { "async-generator": false, "for-await": false },
  });
  return metafile;
}

/** The command `mls-relay-groups`, with the SDK of the Model Context Protocol, of which applications carry nothing. */
async function buildCommand() {
  const { metafile } = await build({
    entryPoints: [join(source, "mcp/main.ts")],
    outfile: join(target, "mcp.js"),
    absWorkingDir: process.cwd(),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [groupsAsNeighbour],
    metafile: true,
    logLevel: "warning",
  });
  return metafile;
}

const groupsAsNeighbour: Plugin = {
  name: "groups as a neighbour",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/index\.js$/ }, ({ importer }) =>
      importer.replaceAll("\\", "/").includes("src/groups/mcp/") ? { path: "./index.js", external: true } : undefined,
    ),
};

const clientAsPackage: Plugin = {
  name: "client as a package",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/client\/index\.js$/ }, () => ({ path: client, external: true }));
    // The client has these hash functions, too.
    onResolve({ filter: /^@noble\/hashes\/sha2\.js$/ }, ({ importer }) =>
      importer.startsWith(join(process.cwd(), source)) ? { path: client, external: true } : undefined,
    );
  },
};

const common = {
  absWorkingDir: process.cwd(),
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  plugins: [clientAsPackage, withoutUnused, withoutUnusedCurves, withoutUnusedHpke, withoutUnusedMls],
  // LICENSES.txt has them in full.
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
} satisfies BuildOptions;
