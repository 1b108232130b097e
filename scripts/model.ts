import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transpile } from "../test/support/transpiled.js";
import { findMutation, mutations } from "./model/mutations.js";
import { startReplayNodes } from "./model/replay-nodes.js";
import { drawRuns, replayRun, replayShares } from "./model/replays.js";
import { compileModel, type Model, models, type RelayModel, readModel, stepsPerRun } from "./model/simulator.js";

// Looks for runs of the models in `spec/model/` that break a promise.
//
//   npm run lab -- model [--runs 100000]      runs of each model; what a stopped command has done is not done again
//   npm run lab -- model --mutations          looks for every planted error
//   npm run lab -- model --replay 5000        repeats runs of all models with relays whose processes are killed; continues too
//   npm run lab -- model --model queue …      the same with one model alone

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

/** The name of a model's progress: the model as it is now. */
function nameOf(model: Model, text: string): string {
  return `${model} ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** Makes runs in portions until the wanted number is reached, or until `make` returns false. */
async function inPortions(
  name: string,
  { runs, portion }: { runs: number; portion: number },
  make: (from: number, size: number) => Promise<boolean>,
): Promise<boolean> {
  let done = (await readProgress())[name] ?? 0;
  while (done < runs) {
    const started = performance.now();
    const size = Math.min(portion, runs - done);
    if (!(await make(done + 1, size))) return false;
    done += size;
    await writeProgress({ ...(await readProgress()), [name]: done });
    const rate = (size * 1_000) / (performance.now() - started);
    console.log(`${name}: ${done} of ${runs} runs, ${rate.toFixed(1)} a second`);
  }
  return true;
}

/** False if a run breaks a promise. */
async function explore(model: Model, runs: number): Promise<boolean> {
  const text = await readModel(model);
  const compiled = await compileModel(model, text);
  return inPortions(nameOf(model, text), { runs, portion }, async (seed, size) => {
    const options = { invariant: "promises", runs: size, steps: stepsPerRun[model], seed };
    const violation = compiled.findViolation(options);
    if (violation === undefined) return true;
    console.log(`${model}: a promise breaks in this run, with seed ${seed}`);
    for (const state of violation) console.log(JSON.stringify(state));
    return false;
  });
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

/** Repeats runs with relays until one differs, which it throws. */
async function replay(chosen: readonly RelayModel[], runs: number): Promise<void> {
  await transpile();
  const shares = chosen.reduce((sum, model) => sum + replayShares[model], 0);
  const nodes = await startReplayNodes();
  try {
    for (const model of chosen) {
      const name = `replays of ${nameOf(model, await readModel(model))}`;
      const size = Math.ceil((runs * replayShares[model]) / shares);
      await inPortions(name, { runs: size, portion: replayPortion }, async (seed, count) => {
        let steps = 0;
        for (const states of await drawRuns(model, { runs: count, seed })) {
          steps += await replayRun(model, states, nodes);
        }
        console.log(`${count} runs with ${steps} steps are the same; killed so far: ${JSON.stringify(nodes.kills)}`);
        return true;
      });
    }
  } finally {
    await nodes.stop();
  }
}

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    runs: { type: "string", default: "100000" },
    mutations: { type: "boolean", default: false },
    replay: { type: "string" },
  },
});
const chosen = models.filter((model) => (values.model ?? model) === model);
if (chosen.length === 0) throw new Error(`--model must be one of ${models.join(", ")}`);
for (const runs of [values.runs, values.replay ?? "1"]) {
  if (!/^[1-9]\d*$/.test(runs)) throw new Error(`${runs} is no number of runs`);
}
if (values.mutations) process.exitCode = (await findMutations()) ? 0 : 1;
else if (values.replay !== undefined)
  await replay(
    chosen.filter((one) => one !== "disputes"),
    Number(values.replay),
  );
else {
  for (const model of chosen) {
    if (await explore(model, Number(values.runs))) continue;
    process.exitCode = 1;
    break;
  }
}
