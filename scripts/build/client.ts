import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { writeLicences } from "./licences.js";

const source = "src/client";
const target = "src/client/dist";

/**
 * Builds the package `@mls-relay/client` in `src/client`. Its code is bundled, so it needs none of the relay's files
 * and installs without the cryptographic packages, of which it uses a small part. Each of its modules stays separate,
 * so that a bundler can leave out what an application does not use.
 */
export async function buildClient(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const modules = (await readdir(source)).filter((name) => name.endsWith(".ts"));
  const { metafile } = await build({
    entryPoints: modules.map((name) => join(source, name)),
    outdir: target,
    chunkNames: "shared/[name]-[hash]",
    absWorkingDir: process.cwd(),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["ws"],
    metafile: true,
    logLevel: "warning",
  });
  await writeLicences(metafile, join(target, "LICENSES.txt"));
  // Every module was an entry point, so each got its own file; the package has one.
  await Promise.all(modules.map((name) => name.replace(/ts$/, "js")).map(removeUnlessIndex));
  await writeTypes();
}

async function removeUnlessIndex(name: string): Promise<void> {
  if (name !== "index.js") await rm(join(target, name));
}

/** Writes the declarations that the public interface reaches, compiled without the types of Node.js. */
async function writeTypes(): Promise<void> {
  const { options, fileNames } = readConfig();
  const program = ts.createProgram(fileNames, options);
  const declarations = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (file, text) => void declarations.set(relative(file), text));
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, host));
  for (const file of reachedFrom("src/client/index.d.ts", declarations)) {
    const written = join(target, "types", file);
    await mkdir(dirname(written), { recursive: true });
    await writeFile(written, declarations.get(file) as string);
  }
}

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
};

function readConfig(): ts.ParsedCommandLine {
  const file = join(source, "tsconfig.json");
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, source);
}

/** The path, from the folder of all declarations, where the compiler would put a declaration. */
function relative(file: string): string {
  return posix.relative(posix.join(process.cwd().replaceAll("\\", "/"), target, "types"), file);
}

function reachedFrom(entry: string, declarations: ReadonlyMap<string, string>): Set<string> {
  const reached = new Set<string>();
  const waiting = [entry];
  for (const file of waiting) {
    const text = declarations.get(file);
    if (text === undefined) throw new Error(`there is no declaration ${file}`);
    if (reached.has(file)) continue;
    reached.add(file);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      waiting.push(posix.join(posix.dirname(file), fileName.replace(/\.js$/, ".d.ts")));
    }
  }
  return reached;
}
