import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import ts from "typescript";

// Stores the code of a version, so that test/upgrade can run it beside later ones on one database. Run it for each release:
//
//   tsx scripts/store-release.ts <its last schema step> [folder with that version's sources; without it, this one]
//
// Stored are the relay's own modules as plain JavaScript. They run with the packages that the later version has installed.

/** What a relay that serves loads. Types and tools are left out. */
const kept = [/^package\.json$/, /^generated\/.*(?:\.js|\.ts|\.json|\.yaml)$/, /^src\/.*\.ts$/];
const leftOut = [/^src\/(?:tools|console)\//, /\.d\.ts$/, /^generated\/openapi-types\.ts$/];

async function filesOf(folder: string): Promise<string[]> {
  const names = ["package.json"];
  for (const part of ["generated", "src"]) {
    for (const name of await readdir(path.join(folder, part), { recursive: true })) names.push(path.join(part, name));
  }
  const wanted = names.filter((name) => kept.some((one) => one.test(name)) && !leftOut.some((one) => one.test(name)));
  const files = await Promise.all(wanted.map(async (name) => (await stat(path.join(folder, name))).isFile()));
  return wanted.filter((_, at) => files[at]).sort();
}

function toJavaScript(fileName: string, text: string): [string, string] {
  if (!fileName.endsWith(".ts")) return [fileName, text];
  const { ModuleKind, ScriptTarget } = ts;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(text, {
    fileName,
    compilerOptions: { ...compilerOptions, removeComments: true },
  });
  return [fileName.replace(/\.ts$/, ".js"), outputText];
}

const project = fileURLToPath(new URL("..", import.meta.url));
const [name, folder = project] = process.argv.slice(2);
if (name === undefined) throw new Error("the first argument is the name");
const files: Record<string, string> = {};
for (const file of await filesOf(folder)) {
  const [written, text] = toJavaScript(file, await readFile(path.join(folder, file), "utf8"));
  files[written] = text;
}
const packed = brotliCompressSync(JSON.stringify(files), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const target = path.join(project, "test/upgrade/releases", `${name}.json.br`);
await mkdir(path.dirname(target), { recursive: true });
await writeFile(target, packed);
console.log(`${target}: ${Object.keys(files).length} files, ${packed.length} bytes`);
