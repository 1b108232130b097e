import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { appendFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { markedEnvironment, pauseProcesses } from "./pauses.js";

/** One run, as it is stored: one line of JSON each. */
interface Run {
  commit: string;
  began: string;
  seconds: number;
  /** Busy loops that ran at the same time. */
  loops: number;
  /** Whether processes of the run were paused at random. */
  pauses?: boolean;
  passed: number;
  failed: number;
  failures: string[];
  /** Kept if anything failed. */
  log?: string;
}

interface Plan {
  runs: number;
  loops: number;
  pauses: boolean;
  selection: readonly string[];
  folder: string;
}

const project = fileURLToPath(new URL("../..", import.meta.url));
const usage = "npm run lab -- again <times> [--beside <busy loops>] [--pauses] [--afresh] [files]";

/** Ends when its parent process is gone. */
const busyLoop = "for (const parent = process.ppid; process.ppid === parent; );";

/** Runs the tests until the requested number of runs is stored. Runs of earlier calls with the same files count. */
async function runAgain(plan: Plan): Promise<Run[]> {
  const stored = await readRuns(plan.folder);
  if (stored.length > 0) console.log(`${stored.length} of ${plan.runs} runs are stored already`);
  let built = currentCommit();
  while (stored.length < plan.runs) {
    const commit = currentCommit();
    if (commit !== built) execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
    built = commit;
    const run = await runOnce(plan, stored.length + 1, commit);
    if (run === undefined) break;
    stored.push(run);
    await appendFile(join(plan.folder, "runs.jsonl"), `${JSON.stringify(run)}\n`);
    console.log(describeRun(run, stored.length));
  }
  return stored;
}

/** Undefined if the run was interrupted: it is not stored, and the next call runs it. */
async function runOnce(
  { folder, loops, pauses, selection }: Plan,
  number: number,
  commit: string,
): Promise<Run | undefined> {
  const log = join(folder, "running.log");
  const began = new Date();
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", busyLoop], { stdio: "ignore" }));
  const endPauses = pauses ? pauseProcesses() : () => {};
  const isInterrupted = await runTests(selection, log).finally(() => {
    endPauses();
    for (const loop of busy) loop.kill("SIGKILL");
  });
  if (isInterrupted) return undefined;
  const seconds = Math.round((Date.now() - began.getTime()) / 1000);
  const counts = countsOf(await readFile(log, "utf8"));
  const run: Run = { commit, began: began.toISOString(), seconds, loops, pauses, ...counts };
  if (run.failed === 0) {
    await rm(log);
    return run;
  }
  const kept = join(folder, `${number}-${commit.replaceAll(" ", "-")}.log`);
  await rename(log, kept);
  return { ...run, log: kept };
}

/** True if the run was interrupted. */
async function runTests(selection: readonly string[], log: string): Promise<boolean> {
  const output = createWriteStream(log);
  const child = spawn("node_modules/.bin/tsx", ["scripts/test.ts", ...selection], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...markedEnvironment() },
    // In a separate process group, so that an interrupt also reaches the processes that it starts.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const isInterrupted = await untilClosed(child);
  output.end();
  await once(output, "close");
  return isInterrupted;
}

async function untilClosed(child: ChildProcess): Promise<boolean> {
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    process.kill(-(child.pid ?? 0), "SIGINT");
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  await once(child, "close");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  return isInterrupted;
}

/** What scripts/test.ts printed at the end. A run without that line failed as a whole. */
function countsOf(output: string): Pick<Run, "passed" | "failed" | "failures"> {
  const [, passed, failed] =
    /^(\d+) passed, (\d+) failed$/m.exec(output.slice(output.lastIndexOf("\nFailed:") + 1)) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, failures: ["the run ended early"] };
  const [, named = ""] = output.split(/^Failed:$/m);
  const failures = named.split("\n").filter((line) => /^ {2}\S/.test(line));
  return { passed: Number(passed), failed: Number(failed), failures: failures.map((line) => line.trim()) };
}

async function readRuns(folder: string): Promise<Run[]> {
  const lines = await readFile(join(folder, "runs.jsonl"), "utf8").catch(() => "");
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Run);
}

function currentCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const commit = git("rev-parse", "--short=8", "HEAD");
  return git("status", "--porcelain") === "" ? commit : `${commit} with changes`;
}

function describeRun({ commit, seconds, loops, pauses, passed, failed, log }: Run, number: number): string {
  const beside = loops === 0 ? "" : ` beside ${loops} busy loops`;
  return `run ${number} of ${commit}${beside}${pauses ? " with pauses" : ""}: ${passed} passed, ${failed} failed, ${seconds} s${log ? `, ${log}` : ""}`;
}

function describeAll(runs: readonly Run[]): string {
  const times = new Map<string, number>();
  for (const failure of runs.flatMap(({ failures }) => failures)) times.set(failure, (times.get(failure) ?? 0) + 1);
  const failed = runs.filter((run) => run.failed > 0).length;
  return [
    ...runs.map((run, index) => describeRun(run, index + 1)),
    ...[...times].map(([failure, count]) => `failed in ${count} of ${runs.length} runs: ${failure}`),
    `${runs.length} runs, ${failed} with failures`,
  ].join("\n");
}

/** Runs of the same files are stored in the same folder. */
function folderOf(selection: readonly string[]): string {
  if (selection.length === 0) return "dist/test-again/everything";
  const hash = createHash("sha256").update(JSON.stringify(selection)).digest("hex").slice(0, 8);
  const [first = ""] = selection;
  return `dist/test-again/${first.replaceAll(/[^\w-]+/g, "-")}-${hash}`;
}

process.chdir(project);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    beside: { type: "string", default: "0" },
    pauses: { type: "boolean", default: false },
    afresh: { type: "boolean", default: false },
  },
});
const [times = "", ...selection] = positionals;
if (!/^[1-9]\d*$/.test(times) || !/^\d+$/.test(values.beside)) throw new Error(usage);
const folder = folderOf(selection);
if (values.afresh) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const { beside, pauses } = values;
const runs = await runAgain({ runs: Number(times), loops: Number(beside), pauses, selection, folder });
console.log(`\n${describeAll(runs)}`);
if (runs.length < Number(times) || runs.some(({ failed }) => failed > 0)) process.exitCode = 1;
