import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import ts from "typescript";
import { lineAt, readSources, type Source } from "./layout/sources.js";
import type { Violation } from "./layout/violation.js";
import { type GoneWord, identifiers, prose } from "./layout/words.js";

/**
 * Reports words that the project no longer uses: in identifiers of `src/`, `scripts/` and `test/`, and in comments and
 * pages. The table of words says what to write instead.
 */
export async function checkWords(project: string): Promise<Violation[]> {
  const sources = (await Promise.all(["src", "scripts", "test"].map((folder) => readSources(project, folder)))).flat();
  const code = sources.filter(({ file }) => !exempt.includes(file)).flatMap(checkSource);
  const pages = await Promise.all((await readPages(project)).map((page) => checkPage(project, page)));
  return [...pages.flat(), ...code].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

/** The table itself, and the test of this check. */
const exempt = ["scripts/layout/words.ts", "test/layout.test.ts"];

function checkSource(source: Source): Violation[] {
  const found: Violation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isDeclared(node)) report(source, node.getStart(), findWord(node.text, identifiers));
    ts.forEachChild(node, visit);
  };
  const report = ({ file }: Source, position: number, rule: string | undefined): void => {
    if (rule !== undefined) found.push({ file, line: lineAt(source, position), rule });
  };
  visit(source.tree);
  for (const { start, text } of commentsOf(source)) {
    for (const { index, rule } of findWords(text, prose)) report(source, start + index, rule);
  }
  return found;
}

/** A name is reported once, where it is declared. */
function isDeclared(node: ts.Identifier): boolean {
  const parent = node.parent as ts.NamedDeclaration | undefined;
  return parent !== undefined && parent.name === node && !ts.isPropertyAccessExpression(node.parent);
}

function commentsOf({ text, tree }: Source): { start: number; text: string }[] {
  const comments = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      comments.set(range.pos, text.slice(range.pos, range.end));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...comments].map(([start, comment]) => ({ start, text: comment }));
}

async function readPages(project: string): Promise<string[]> {
  const listed = await Promise.all(
    ["docs", "spec"].map((folder) =>
      readdir(join(project, folder), { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  );
  const files = listed.flat().filter((entry) => entry.isFile() && /\.(md|ya?ml)$/.test(entry.name));
  const inFolders = files.map((entry) => relative(project, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  return [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ...inFolders.filter((file) => !file.startsWith("spec/released/")),
  ];
}

async function checkPage(project: string, file: string): Promise<Violation[]> {
  const text = await readFile(join(project, file), "utf8").catch(() => "");
  return text
    .split("\n")
    .flatMap((line, index) => findWords(line, prose).map(({ rule }) => ({ file, line: index + 1, rule })));
}

function findWord(text: string, words: readonly GoneWord[]): string | undefined {
  const gone = words.find(({ pattern }) => pattern.test(text));
  return gone === undefined ? undefined : `"${text}" is gone: ${gone.instead}`;
}

function findWords(text: string, words: readonly GoneWord[]): { index: number; rule: string }[] {
  return words.flatMap(({ pattern, instead }) => {
    const all = text.matchAll(new RegExp(pattern, "gi"));
    return [...all].map(({ 0: word, index }) => ({ index, rule: `"${word}" is gone: ${instead}` }));
  });
}
