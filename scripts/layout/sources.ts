import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import ts from "typescript";

/** A TypeScript file, read and parsed. */
export interface Source {
  /** Path from the project's folder, with forward slashes. */
  file: string;
  text: string;
  tree: ts.SourceFile;
}

/** Every TypeScript file under a folder of the project, by path; none if there is no such folder. */
export async function readSources(project: string, folder: string): Promise<Source[]> {
  const entries = await readdir(join(project, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter(
      (entry) =>
        entry.isFile() && /\.tsx?$/.test(entry.name) && !/[\\/](node_modules|dist)(?:[\\/]|$)/.test(entry.parentPath),
    )
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  return Promise.all(files.sort().map((file) => readSource(project, file)));
}

/** The line of a position, counted from one. */
export function lineAt(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1;
}

async function readSource(project: string, file: string): Promise<Source> {
  const text = await readFile(join(project, file), "utf8");
  return { file, text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true) };
}
