import { execFileSync } from "node:child_process";
import { join, posix } from "node:path";
import ts from "typescript";
import { readSources, type Source } from "../layout/sources.js";

/** What the files of the project read at run time, judging by their sources. */
export interface Dependencies {
  /** The tests that a change of these files can affect, by path. */
  affectedBy(changed: readonly string[]): string[];
  tests: readonly string[];
}

const sourceFolders = ["src", "test", "scripts", "generated"];
/** Every test depends on what these files read. */
const underEveryTest = [
  ...["package.json", "package-lock.json", "tsconfig.json", "vitest.config.ts"],
  ...["test/support/global-setup.ts", "test/support/leaks.ts", "test/support/show-faults.ts"],
  "test/support/statements.ts",
];
/** These name files that they do not read. A test that starts a process names the module that it starts. */
const importsOnly = ["test/support/transpiled.ts", "test/support/programs.ts"];
/** What `npm run generate` reads. */
const sourcesOfGenerated = /^(spec\/(?!decisions\/|released\/)|scripts\/generate)/;

/**
 * Finds what each source depends on: modules that it imports, and files and folders that a string in it names. Tests start
 * the program, read the contract and run scripts by such names. A folder stands for every file in it.
 */
export async function readDependencies(project: string): Promise<Dependencies> {
  const files = new Set(listFiles(project));
  const folders = new Set([...files].flatMap(foldersOf));
  const sources = (await Promise.all(sourceFolders.map((folder) => readSources(project, folder)))).flat();
  const read = new Map(sources.map((source) => [source.file, targetsOf(source, files, folders)]));
  const tests = sources.map(({ file }) => file).filter((file) => /^test\/.*\.test\.ts$/.test(file));
  const readers = readersOf(read);
  return { tests, affectedBy: (changed) => findAffected(changed, readers, tests) };
}

/** Finds the sources that read a file; a name with a slash at the end stands for all files in a folder. */
type Readers = (file: string) => readonly string[];

function readersOf(read: ReadonlyMap<string, Targets>): Readers {
  const byTarget = new Map<string, string[]>();
  for (const [reader, { files, folders }] of read)
    for (const target of [...files, ...folders]) byTarget.set(target, [...(byTarget.get(target) ?? []), reader]);
  const inFolder = (folder: string) => [...byTarget.keys()].filter((target) => target.startsWith(folder));
  const above = (file: string) => [file, ...foldersOf(file).map((folder) => `${folder}/`)];
  return (file) => (file.endsWith("/") ? inFolder(file) : above(file)).flatMap((target) => byTarget.get(target) ?? []);
}

/**
 * The tests in the folder that is named like the module of each changed file (`src/devices` and `test/devices`). A file without
 * such tests has all that it affects.
 */
export function nearest(changed: readonly string[], affectedBy: Dependencies["affectedBy"]): string[] {
  const chosen = changed.flatMap((file) => {
    const affected = affectedBy([file]);
    const [, module = ""] = /^src\/([^/]+)\//.exec(file) ?? [];
    const own = affected.filter((test) => test.startsWith(`test/${module}/`));
    return own.length > 0 ? own : affected;
  });
  return [...new Set(chosen)];
}

/** Walks from the changed files to their readers, until nothing new is found. */
function findAffected(changed: readonly string[], readersOfFile: Readers, tests: readonly string[]) {
  const affected = new Set(changed);
  const queue = [...changed];
  if (changed.some((file) => sourcesOfGenerated.test(file))) queue.push("generated/");
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const reader of readersOfFile(file)) {
      if (affected.has(reader)) continue;
      affected.add(reader);
      queue.push(reader);
    }
  }
  if (underEveryTest.some((file) => affected.has(file))) return [...tests];
  return tests.filter((file) => affected.has(file));
}

interface Targets {
  files: ReadonlySet<string>;
  /** With a slash at the end. */
  folders: readonly string[];
}

function targetsOf(source: Source, files: ReadonlySet<string>, folders: ReadonlySet<string>): Targets {
  const found = { files: new Set<string>(), folders: new Set<string>() };
  // The server's strings are paths of HTTP more often than folders.
  const readsFolders = !source.file.startsWith("src/");
  const visit = (node: ts.Node): void => {
    if (isTypeOnly(node) || (ts.isVariableStatement(node) && importsOnly.includes(source.file))) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const name of namesIn(node, source.file)) {
        if (files.has(name)) found.files.add(name);
        else if (folders.has(name) && readsFolders) found.folders.add(`${name}/`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return { files: found.files, folders: [...found.folders] };
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly === true;
  return ts.isExportDeclaration(node) && node.isTypeOnly;
}

/** What a string may name: from the folder of its file if it begins with a dot, otherwise from the project's folder. */
function namesIn({ text, parent }: ts.LiteralLikeNode, file: string): string[] {
  if (text === "" || text.length > 200 || /\s/.test(text)) return [];
  // Words that are no paths: "test" is a domain, and a dot stands between parts.
  if (text === "test" && file.startsWith("test/")) return [];
  if (/^\.+$/.test(text) && !ts.isNewExpression(parent)) return [];
  const path = /^\.\.?(\/|$)/.test(text) ? posix.join(posix.dirname(file), text) : posix.normalize(text);
  const name = path.replace(/^\/|\/$/g, "").replace(/^dist\/(transpiled\/)?/, "");
  return [name, name.replace(/\.js$/, ".ts"), name.replace(/\.js$/, ".tsx")];
}

function foldersOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Files that Git knows, and new ones that it does not ignore. */
export function listFiles(project: string): string[] {
  return git(project, "ls-files", "--cached", "--others", "--exclude-standard");
}

/** What differs from the commit at which `base` and the current branch diverged, including uncommitted changes. */
export function listChanged(project: string, base: string): string[] {
  const [parting = base] = git(project, "merge-base", base, "HEAD");
  const changed = git(project, "diff", "--name-only", "--no-renames", parting);
  return [...new Set([...changed, ...git(project, "ls-files", "--others", "--exclude-standard")])];
}

function git(project: string, ...args: string[]): string[] {
  const output = execFileSync("git", args, { cwd: join(project), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return output.split("\n").filter((line) => line !== "");
}
