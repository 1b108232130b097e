import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { citusStatements } from "../src/database/citus/statements.js";
import { builtMark } from "../src/database/filtered-list.js";
import { oneMachine } from "../src/database/placement.js";
import { readSources } from "./layout/sources.js";
import { loadParser } from "./statements/parse.js";
import { findTooNew } from "./statements/prepare.js";
import { checkStatement } from "./statements/rules.js";

/** A literal part of a statement is looked up in the sources if it is at least this long. */
const shortestPart = 16;

/**
 * Checks the statements that tests executed (see test/support/statements.ts) against the rules of distributed tables, and
 * that the oldest supported PostgreSQL understands them. Statements of the tests themselves, whose text does not occur in
 * `src/`, are left out. Returns the problems and the number of checked statements.
 */
export async function checkStatements(folder: string): Promise<{ checked: number; problems: string[] }> {
  await loadParser();
  const project = fileURLToPath(new URL("..", import.meta.url));
  const files = (await readSources(project, "src")).filter(({ file }) => !file.includes("/migrations/"));
  const sources = squeeze(files.map(({ text }) => text).join("\n"));
  const statements = (await readStatements(folder)).filter(
    (text) => text.startsWith(builtMark) || comesFrom(sources, text),
  );
  const problems = statements.flatMap((text) =>
    checkStatement(asOnCitus(text)).map((problem) => `${problem}: ${squeeze(text).slice(0, 300)}`),
  );
  const tooNew = await findTooNew(statements);
  return { checked: statements.length, problems: [...problems, ...tooNew] };
}

/** On one machine a session has settings that never apply to Citus. */
function asOnCitus(text: string): string {
  return text.replace(oneMachine.sessionSettings, citusStatements.sessionSettings);
}

async function readStatements(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return [...new Set(texts.flatMap((text) => text.trimEnd().split("\n")))].map((line) => JSON.parse(line) as string);
}

/** Whether most literal parts of a statement, between its parameters, occur in the sources. */
function comesFrom(sources: string, statement: string): boolean {
  const parts = statement
    .split(/\$\d+|\n/)
    .map(squeeze)
    .filter((part) => part.length >= shortestPart);
  const [only] = parts;
  // A short statement of a test may equal the beginning of one of the relay's.
  if (parts.length === 1 && only !== undefined) return /["`]/.test(followedBy(sources, only));
  const found = parts.filter((part) => sources.includes(part));
  return parts.length > 0 && found.length * 2 >= parts.length;
}

/** The character after the first occurrence of a text; empty if there is none. */
function followedBy(sources: string, text: string): string {
  const at = sources.indexOf(text);
  return at === -1 ? "" : sources.slice(at + text.length, at + text.length + 1);
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { checked, problems } = await checkStatements(process.argv[2] ?? "");
  for (const problem of problems) console.log(problem);
  console.log(`${checked} statements, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
