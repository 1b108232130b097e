import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { newDevice } from "../test/support/device.js";
import type { TestRelay } from "../test/support/relay.js";
import { transpile } from "../test/support/transpiled.js";
import { readQueueRun } from "./model/itf.js";
import { findMutation, mutations } from "./model/mutations.js";
import { replayRun } from "./model/replay.js";
import { startReplayNodes } from "./model/replay-nodes.js";
import { compileModel, type Model, models, readModel, stepsPerRun } from "./model/simulator.js";

// Looks for runs of the models in `spec/model/` that break a promise.
//
//   npm run model -- [--runs 100000]              of each model; what a stopped command has done is not done again
//   npm run model -- --mutations                  looks for every planted error
//   npm run model -- --replay 5000 [--seed 1]     repeats runs of the queue with a relay whose processes are killed

const progressFile = fileURLToPath(new URL("../dist/model-progress.json", import.meta.url));
const portion = 500;
const replayPortion = 50;

/** How many runs of a model were made, by a hash of the model: another model begins at none. */
type Progress = Record<string, number>;

async function readProgress(): Promise<Progress> {
  const text = await readFile(progressFile, "utf8").catch(() => "{}");
  return JSON.parse(text) as Progress;
}

async function writeProgress(progress: Progress): Promise<void> {
  await mkdir(dirname(progressFile), { recursive: true });
  await writeFile(progressFile, `${JSON.stringify(progress, null, 2)}\n`);
}

/** False if a run breaks a promise. */
async function explore(model: Model, runs: number): Promise<boolean> {
  const text = await readModel(model);
  const name = `${model} ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  const compiled = await compileModel(model, text);
  let done = (await readProgress())[name] ?? 0;
  while (done < runs) {
    const started = performance.now();
    const options = { invariant: "promises", runs: portion, steps: stepsPerRun[model], seed: done + 1 };
    const violation = compiled.findViolation(options);
    if (violation !== undefined) {
      console.log(`${model}: a promise breaks in this run, with seed ${options.seed}`);
      for (const state of violation) console.log(JSON.stringify(state));
      return false;
    }
    done += portion;
    await writeProgress({ ...(await readProgress()), [name]: done });
    const rate = (portion * 1_000) / (performance.now() - started);
    console.log(`${model}: ${done} of ${runs} runs, ${rate.toFixed(0)} a second`);
  }
  return true;
}

async function findMutations(): Promise<boolean> {
  let areFound = true;
  for (const mutation of mutations) {
    const run = await findMutation(mutation);
    areFound &&= run !== undefined;
    console.log(`${run === undefined ? "NOT FOUND" : `found in ${run.length - 1} steps`}: ${mutation.title}`);
  }
  return areFound;
}

/** Repeats runs with a relay until one differs, which it throws. */
async function replay(runs: number, firstSeed: number): Promise<void> {
  const compiled = await compileModel("queue", await readModel("queue"));
  await transpile();
  const nodes = await startReplayNodes();
  try {
    const sender = await newDevice(nodes.target("a") as TestRelay);
    for (let done = 0; done < runs; done += replayPortion) {
      const size = Math.min(replayPortion, runs - done);
      const options = { runs: size, steps: stepsPerRun.queue, seed: firstSeed + done, step: "drivenStep" };
      for (const states of compiled.traces(options)) await replayRun(readQueueRun(states), nodes, sender);
      console.log(`${done + size} of ${runs} runs are the same; killed: ${JSON.stringify(nodes.kills)}`);
    }
  } finally {
    await nodes.stop();
  }
}

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    mutations: { type: "boolean", default: false },
    replay: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
if (values.mutations) process.exitCode = (await findMutations()) ? 0 : 1;
else if (values.replay !== undefined) await replay(Number(values.replay), Number(values.seed));
else {
  for (const model of models) {
    if (await explore(model, Number(values.runs))) continue;
    process.exitCode = 1;
    break;
  }
}
