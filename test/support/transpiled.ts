import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));
const folders = ["src", "generated", "scripts/demo", "scripts/push-service", "scripts/test-ca", "test/support"];
const target = "dist/transpiled";

/** Where a separate process finds a module of the project (`src/cli/main.ts`) in plain JavaScript. */
export function transpiled(module: string): string {
  return path.join(project, target, module.replace(/\.ts$/, ".js"));
}

/**
 * Brings the plain JavaScript up to date, because a process that translates the sources takes three times the processor
 * time to start. Types are not checked here.
 */
export async function transpile(): Promise<void> {
  const modules = ["scripts/served.ts"];
  for (const folder of folders) {
    for (const entry of await readdir(path.join(project, folder), { recursive: true })) {
      modules.push(path.join(folder, entry));
    }
  }
  for (const module of modules) {
    if (/^src\/(client|conformance)\/dist\//.test(module)) continue;
    if (/(?<!\.d)\.[jt]s$/.test(module) && (await isStale(module))) await translate(module);
  }
}

async function isStale(module: string): Promise<boolean> {
  const made = await stat(transpiled(module)).catch(() => undefined);
  const { mtimeMs } = await stat(path.join(project, module));
  return made === undefined || made.mtimeMs < mtimeMs;
}

async function translate(module: string): Promise<void> {
  const { default: ts } = await import("typescript");
  const source = await readFile(path.join(project, module), "utf8");
  const { ModuleKind, ScriptTarget } = ts;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(source, { fileName: module, compilerOptions });
  const file = transpiled(module);
  await mkdir(path.dirname(file), { recursive: true });
  // Another run may be about to read it.
  await writeFile(`${file}.${process.pid}`, outputText);
  await rename(`${file}.${process.pid}`, file);
}
