import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { compressFolder } from "./compress.js";
import { writeLicences } from "./licences.js";

const sources = "scripts/build/pages";
const pages = ["index.html", "openapi.html", "asyncapi.html"];

/**
 * Builds the pages that show the contract into `dist/pages`: their scripts and styles in one file each, named by a hash
 * of its content, and a compressed copy of every file. The relay needs none of the bundled packages.
 */
export async function buildPages(): Promise<void> {
  const target = "dist/pages";
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const { metafile } = await build({
    entryPoints: ["openapi.js", "asyncapi.js", "page.css"].map((name) => join(sources, name)),
    outdir: join(target, "assets"),
    entryNames: "[name]-[hash]",
    absWorkingDir: process.cwd(),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    // Licences of the packages follow the code.
    legalComments: "eof",
    metafile: true,
    plugins: [withoutParser],
    logLevel: "warning",
  });
  await writeLicences(metafile, join(target, "LICENSES.txt"));
  const names = namesOf(metafile);
  for (const page of pages) {
    const html = await readFile(join(sources, page), "utf8");
    await writeFile(
      join(target, page),
      html.replace(/(?<=\/docs\/assets\/)[\w.]+/g, (name) => built(names, name)),
    );
  }
  await compressFolder(target);
}

/** The name of each built file, by the name of its source. */
function namesOf({ outputs }: Metafile): ReadonlyMap<string, string> {
  const names = Object.keys(outputs).map((file) => basename(file));
  return new Map(names.map((name) => [name.replace(/-[A-Z0-9]{8}(?=\.\w+$)/, ""), name]));
}

function built(names: ReadonlyMap<string, string>, name: string): string {
  const found = names.get(name);
  if (found === undefined) throw new Error(`a page refers to ${name}, which was not built`);
  return found;
}

/**
 * The component that renders an AsyncAPI document gets a parsed one, but its modules import the parser. The parser is
 * three times as large as the rest, and compiles schemas by `eval` when it loads, which a page would have to allow. So
 * the page gets the parser's model of a document and none of its checks.
 */
const withoutParser: Plugin = {
  name: "without-parser",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@asyncapi\/parser$/ }, () => ({ path: "model", namespace: "parser" }));
    onLoad({ filter: /.*/, namespace: "parser" }, () => ({ contents: parserModel, resolveDir: process.cwd() }));
    const unused = /^(@stoplight\/|@asyncapi\/(specs|\w+-schema-parser)|ajv|js-yaml|jsonpath)/;
    onResolve({ filter: unused }, ({ path }) => ({ path, namespace: "unused" }));
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = { schemas: {} };" }));
  },
};

const parserModel = `
export { isAsyncAPIDocument, isOldAsyncAPIDocument, toAsyncAPIDocument } from "@asyncapi/parser/cjs/document";
export { Schema as SchemaV2 } from "@asyncapi/parser/cjs/models/v2/schema";
export { unstringify } from "@asyncapi/parser/cjs/stringify";
export const Parser = undefined;
export const fromURL = undefined;
`;
