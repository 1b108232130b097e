import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { History, Operation } from "./history.js";

/** Something in a history that no behaviour that is promised explains. */
interface Problem {
  queue: string;
  what: string;
  operation?: Operation;
}

const run = promisify(execFile);
const source = fileURLToPath(new URL("checker", import.meta.url));
const program = fileURLToPath(new URL("../../dist/histories/checker", import.meta.url));
const largestOutput = 64 * 1024 * 1024;

let built: Promise<string> | undefined;

function build(): Promise<string> {
  built ??= (async () => {
    await mkdir(path.dirname(program), { recursive: true });
    await run("go", ["build", "-o", program, "."], { cwd: source });
    return program;
  })();
  return built;
}

/** The problems of each history. `isPlain` takes no shortcuts, which only short histories allow. */
export async function judge(histories: readonly History[], { isPlain = false } = {}): Promise<Problem[][]> {
  return withFiles(histories, async (files) => {
    const { stdout } = await run(await build(), [...(isPlain ? ["-plain"] : []), ...files], {
      maxBuffer: largestOutput,
    });
    const verdicts = stdout.trim().split("\n");
    return verdicts.map((line) => (JSON.parse(line) as { problems: Problem[] }).problems);
  });
}

/** The smallest part of a history that still has a problem. */
export function shrink(history: History): Promise<History> {
  return withFiles([history], async ([file = ""]) => {
    await run(await build(), ["-shrink", `${file}.smaller`, file], { maxBuffer: largestOutput });
    return JSON.parse(await readFile(`${file}.smaller`, "utf8"));
  });
}

async function withFiles<T>(histories: readonly History[], use: (files: string[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-histories-"));
  try {
    const files = histories.map((_, at) => path.join(folder, `${at}.json`));
    for (const [at, history] of histories.entries()) await writeFile(files[at] as string, JSON.stringify(history));
    return await use(files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
