import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { writeTypes } from "./declarations.js";
import { writeLicences } from "./licences.js";
import { unusedCryptography, withoutUnusedCurves } from "./unused-cryptography.js";

const source = "src/groups";
const target = "src/groups/dist";
const client = "@mls-relay/client";

/**
 * Builds the package `@mls-relay/groups` in `src/groups`. The MLS library is built in; the client is not, so that an application that uses
 * both packages has it once.
 */
export async function buildGroups(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [join(source, "index.ts")],
    outdir: target,
    chunkNames: "shared/[name]-[hash]",
    absWorkingDir: process.cwd(),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    plugins: [clientAsPackage, withoutUnused, withoutUnusedCurves],
    // LICENSES.txt has them in full.
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const command = await buildCommand();
  await writeLicences({ inputs: { ...metafile.inputs, ...command.inputs } }, join(target, "LICENSES.txt"));
  await writeTypes({ source, target, packages: { "src/client/index": client } });
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

const withoutUnused: Plugin = {
  name: "without unused cryptography",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unusedCryptography }, ({ path }) => ({ path, namespace: "unused" }));
    const contents = 'throw new Error("this package is built without this cipher suite");';
    // @hpke imports it where there is no Web Cryptography, which browsers and Node.js have. Bundlers for browsers would warn of it.
    onResolve({ filter: /^crypto$/ }, ({ path, importer }) =>
      importer.includes("@hpke") ? { path, namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents }));
  },
};
