import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { judge, shrink } from "../test/histories/checker.js";
import { type Cluster, startCluster } from "../test/histories/cluster.js";
import type { History } from "../test/histories/history.js";
import { type Run, runSteps } from "../test/histories/run.js";
import { drawSchedule } from "../test/histories/schedule.js";
import { transpile } from "../test/support/transpiled.js";

// Records histories of two relays under faults, and lets the checker judge them.
//
//   npm run lab -- histories --seed 7 --steps 500       the steps that belong to this number; continues where a stopped one ended
//   npm run lab -- histories --seed 7 --steps 500 --list     prints the steps and takes none
//   npm run lab -- histories --check <file>...          judges histories that were stored

const folder = fileURLToPath(new URL("../dist/histories/", import.meta.url));
const kept = fileURLToPath(new URL("../test/histories/kept/", import.meta.url));
const progressFile = `${folder}progress.json`;
const summaryFile = `${folder}summary.jsonl`;
/** Each portion has queues of its own, so that its history stays short. */
const portion = 20;

/** How many steps of a number were taken. */
type Progress = Record<string, number>;

async function readProgress(): Promise<Progress> {
  return JSON.parse(await readFile(progressFile, "utf8").catch(() => "{}")) as Progress;
}

/** False if a portion shows a problem. */
async function runAll(cluster: Cluster, seed: number, count: number): Promise<boolean> {
  const schedule = drawSchedule(seed, count);
  let isGood = true;
  const ending = new AbortController();
  // The portion that was begun is concluded; a second signal ends the command at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  for (let done = (await readProgress())[seed] ?? 0; done < count && !ending.signal.aborted; done += portion) {
    const steps = schedule.slice(done, done + portion);
    const beganMillis = performance.now();
    const run = await runSteps(cluster, { seed, steps, report: (line) => console.log(`  ${line}`) });
    const seconds = Math.round((performance.now() - beganMillis) / 1_000);
    isGood = (await conclude(run, { seed, from: done, steps: steps.length, seconds })) && isGood;
    await writeFile(progressFile, JSON.stringify({ ...(await readProgress()), [seed]: done + steps.length }));
  }
  return isGood;
}

async function conclude(run: Run, what: { seed: number; from: number; steps: number; seconds: number }) {
  const { history, stuck, answers } = run;
  const [problems = []] = await judge([history]);
  const operations = history.queues.reduce((sum, queue) => sum + queue.operations.length, 0);
  const blobs = history.blobs?.length ?? 0;
  const figures = { operations, messages: countMessages(history), blobs, unknown: countUnknown(history) };
  const line = { ...what, ...figures, answers: Object.fromEntries(answers), stuck, problems };
  await appendFile(summaryFile, `${JSON.stringify(line)}\n`);
  console.log(JSON.stringify(line));
  const name = `${what.seed}-${what.from}.json`;
  await writeFile(`${folder}${problems.length > 0 ? name : "last.json"}`, JSON.stringify(history));
  if (problems.length > 0) {
    await mkdir(kept, { recursive: true });
    await writeFile(`${kept}${name}`, `${JSON.stringify(await shrink(history))}\n`);
    console.log(`the smallest part of the history that shows it is kept in test/histories/kept/${name}`);
  }
  return problems.length === 0 && stuck.length === 0;
}

function countMessages({ queues }: History): number {
  const sent = queues.flatMap(({ queue, operations }) =>
    operations.flatMap(({ kind, messages }) => (kind === "send" ? `${messages[0]} ${queue}` : [])),
  );
  return new Set(sent).size;
}

function countUnknown({ queues }: History): number {
  return queues.flatMap(({ operations }) => operations).filter(({ outcome }) => outcome === "unknown").length;
}

async function checkFiles(files: readonly string[]): Promise<boolean> {
  const histories = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, "utf8")) as History));
  const verdicts = await judge(histories);
  for (const [at, problems] of verdicts.entries()) {
    console.log(`${files[at]}: ${problems.length === 0 ? "explained" : JSON.stringify(problems)}`);
  }
  return verdicts.every((problems) => problems.length === 0);
}

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "100" },
    list: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const [seed, steps] = [Number(values.seed), Number(values.steps)];
if (values.check) process.exitCode = (await checkFiles(positionals)) ? 0 : 1;
else if (values.list) console.log(drawSchedule(seed, steps));
else {
  await mkdir(folder, { recursive: true });
  console.log(`seed ${seed}`);
  await transpile();
  const cluster = await startCluster();
  try {
    process.exitCode = (await runAll(cluster, seed, steps)) ? 0 : 1;
  } finally {
    await cluster.stop();
  }
}
