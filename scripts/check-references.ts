import { readdir, readFile } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import type { Violation } from "./layout/violation.js";

/** Where records and files are named. */
const folders = ["src", "scripts", "test", "docs", "spec", "deploy"];
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
const texts = /\.(?:tsx?|js|sql|md|ya?ml|sh)$/;
const skipped = /(?:^|[\\/])(?:node_modules|dist|released)(?:[\\/]|$)/;

const records = "spec/decisions";
const rules = "docs/reference/rules.md";
const promises = "docs/explanation/promises.md";

/**
 * Checks that the records that texts name exist, that every rule of `docs/reference/rules.md` is where the page says, and that every promise of
 * `docs/explanation/promises.md` names tests that exist.
 */
export async function checkReferences(project: string): Promise<Violation[]> {
  const [files, known] = await Promise.all([textFiles(project), recordFiles(project)]);
  const found = await Promise.all(
    files.map(async (file) => recordViolations(file, await readFile(join(project, file), "utf8"), known)),
  );
  return [
    ...found.flat(),
    ...(files.includes(rules) ? await ruleViolations(project) : []),
    ...(files.includes(promises) ? await promiseViolations(project) : []),
  ];
}

async function textFiles(project: string): Promise<string[]> {
  const entries = await Promise.all(
    folders.map((folder) => readdir(join(project, folder), { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  const inFolders = entries
    .flat()
    .filter((entry) => entry.isFile() && texts.test(entry.name))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  const onTop = (await readdir(project)).filter((name) => pages.includes(name));
  return [...inFolders, ...onTop].filter((file) => !skipped.test(file)).sort();
}

async function recordFiles(project: string): Promise<string[]> {
  return (await readdir(join(project, records)).catch(() => [])).filter((name) => /^\d{4}-.*\.md$/.test(name));
}

/** A record by its file, or by its number behind the word, in a link or in a path. */
const byFile = /(?<![\w-])0\d{3}-[a-z][a-z0-9-]*\.md/g;
const byNumber = /(?:\b(?:decisions?|records?)(?:\/|[\s*/]+\[?)|\[)(0\d{3})(?![\w-])/gi;

function recordViolations(file: string, text: string, known: readonly string[]): Violation[] {
  const at = (index: number) => text.slice(0, index).split("\n").length;
  const files = [...text.matchAll(byFile)]
    .filter(([name]) => !known.includes(name))
    .map(({ 0: name, index }) => ({ file, line: at(index), rule: `there is no ${records}/${name}` }));
  const numbers = [...text.matchAll(byNumber)]
    .filter(([, number = ""]) => !known.some((name) => name.startsWith(`${number}-`)))
    .map(({ 1: number, index }) => ({ file, line: at(index), rule: `there is no record ${number} in ${records}` }));
  return [...files, ...numbers];
}

/** Behind this line, and up to the next heading, each item says what holds. */
const kept = "These properties hold";
const namedTest = /`(test\/[\w./-]+)`/g;

async function promiseViolations(project: string): Promise<Violation[]> {
  const text = await readFile(join(project, promises), "utf8");
  const at = (index: number) => text.slice(0, index).split("\n").length;
  const exists = async (test: string) => {
    const names = await readdir(join(project, posix.dirname(test))).catch((): string[] => []);
    return names.includes(posix.basename(test)) || names.includes(`${posix.basename(test)}.test.ts`);
  };
  const found: Violation[] = [];
  for (const { 1: test = "", index } of text.matchAll(namedTest)) {
    if (!(await exists(test))) found.push({ file: promises, line: at(index), rule: `there is no ${test}` });
  }
  const start = text.indexOf(kept);
  const section = start < 0 ? "" : text.slice(start).split("\n## ", 1).join();
  for (const { 0: item, index } of section.matchAll(/^- (?:.|\n(?!- |\n))*/gm)) {
    const rule = "the promise names no test";
    if (!/`test\//.test(item)) found.push({ file: promises, line: at(start + index), rule });
  }
  return found;
}

/** A link to a file, and the name in it. */
const place = /\]\(([^)\s]+)\)(?: `(\w+)`)?/g;

async function ruleViolations(project: string): Promise<Violation[]> {
  const lines = (await readFile(join(project, rules), "utf8")).split("\n");
  const found = await Promise.all(
    lines.map(async (text, index) => {
      if (!text.startsWith("- ")) return [];
      const places = [...text.matchAll(place)];
      const problems = await Promise.all(places.map(([, link = "", name]) => problemOfPlace(project, link, name)));
      const rulesBroken = places.length === 0 ? ["the row names no file"] : problems.filter((one) => one !== undefined);
      return rulesBroken.map((rule) => ({ file: rules, line: index + 1, rule }));
    }),
  );
  return found.flat();
}

async function problemOfPlace(project: string, link: string, name: string | undefined): Promise<string | undefined> {
  const file = posix.join(posix.dirname(rules), link);
  const text = await readFile(join(project, file), "utf8").catch(() => undefined);
  if (text === undefined) return `there is no ${file}`;
  if (name === undefined) return `the row does not say which exported name of ${file} has the rule`;
  const isThere = file.endsWith(".sql") ? text.includes(name) : exports(name).test(text);
  return isThere ? undefined : `${file} does not export ${name}`;
}

function exports(name: string): RegExp {
  return new RegExp(`^export (?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`, "m");
}
