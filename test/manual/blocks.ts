import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

// Every block of shell commands in the manual is run by a test, or says why not. A comment before the block, which readers
// do not see, says which:
//
//   <!-- run -->               beside a relay that runs; the blocks of a page share one shell, in their order
//   <!-- run stopped -->       on a database whose relay is stopped; also one shell for a page
//   <!-- run empty -->         on an empty database, each block by itself
//   <!-- serve -->             each line starts a relay, which has to come up
//   <!-- not run: reason -->   not run, for example: needs root

export const project = fileURLToPath(new URL("../..", import.meta.url));

export type Mode = "run" | "run stopped" | "run empty" | "serve";

export interface Block {
  /** Path from the project's folder. */
  page: string;
  /** Of the first line of commands, counted from one. */
  line: number;
  commands: string;
  /** How it is run; or why not; or that nothing is said. */
  mark: { mode: Mode } | { reason: string } | null;
}

const modes: readonly Mode[] = ["run", "run stopped", "run empty", "serve"];
const shortestReason = 8;

/** The pages of the manual, by path. */
export async function pagesOfManual(): Promise<string[]> {
  const names = await readdir(path.join(project, "docs"), { recursive: true });
  const pages = names.filter((name) => name.endsWith(".md")).map((name) => path.join("docs", name));
  return ["README.md", ...pages.sort()];
}

/** All blocks of shell commands of a page. Throws for a mark that means nothing. */
export async function blocksOf(page: string): Promise<Block[]> {
  const lines = (await readFile(path.join(project, page), "utf8")).split("\n");
  const blocks: Block[] = [];
  for (const [at, line] of lines.entries()) {
    if (!/^\s*```(?:sh|bash|shell|console)\s*$/.test(line)) continue;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((one) => /^\s*```\s*$/.test(one));
    const commands = rest.slice(0, end).join("\n");
    blocks.push({ page, line: at + 2, commands, mark: markBefore(lines.slice(0, at), `${page}:${at + 1}`) });
  }
  return blocks;
}

function markBefore(before: readonly string[], where: string): Block["mark"] {
  const last = before.findLast((line) => line.trim() !== "") ?? "";
  const text = /^\s*<!-- (.*) -->\s*$/.exec(last)?.[1];
  if (text === undefined) return null;
  const reason = /^not run: (.*)$/.exec(text)?.[1];
  if (reason !== undefined && reason.length >= shortestReason) return { reason };
  const mode = modes.find((one) => one === text);
  if (mode === undefined) throw new Error(`${where}: <!-- ${text} --> is no mark: see test/manual/blocks.ts`);
  return { mode };
}
