import { Command, Option } from "commander";
import { describeProblem } from "../../src/cli/problem.js";
import { print, printError } from "../../src/platform/print.js";
import { type Progress, withProgress } from "../../src/platform/progress.js";
import { measureBlobs } from "./blobs.js";
import { type BenchEnvironment, openBenchEnvironment } from "./environment.js";
import * as federation from "./federation.js";
import { measureGrowth } from "./growth.js";
import { measureMemory } from "./memory.js";
import { measureRelay } from "./relay.js";
import { machineText, type Report, saveResult } from "./report.js";
import { fullProfile, measureSends, quickProfile } from "./sends.js";
import { measureSizes } from "./sizes.js";
import { measureSlots } from "./slots.js";
import { measureToMany } from "./to-many.js";
import { measureLatency } from "./waits.js";

interface Options {
  quick?: boolean;
  only?: string;
  out: string;
}

type Measure = (environment: BenchEnvironment, isQuick: boolean, say: Say) => Promise<Report>;

type Say = (line: string) => void;

const profileOf = (isQuick: boolean) => (isQuick ? quickProfile : fullProfile);

/** What is measured, and how many steps of it are announced. A full run measures the first two. */
const parts: Readonly<Record<string, { steps: number; measure: Measure }>> = {
  relay: {
    steps: 6,
    measure: (environment, isQuick, say) => measureRelay(environment, profileOf(isQuick), say),
  },
  federation: {
    steps: 4,
    measure: (environment, isQuick, say) =>
      federation.measureFederation(environment, isQuick ? federation.quickProfile : federation.fullProfile, say),
  },
  sends: { steps: 2, measure: (environment, isQuick, say) => measureSends(environment, profileOf(isQuick), say) },
  latency: { steps: 3, measure: (environment, isQuick, say) => measureLatency(environment, profileOf(isQuick), say) },
  slots: { steps: 4, measure: (environment, isQuick, say) => measureSlots(environment, profileOf(isQuick), say) },
  sizes: { steps: 1, measure: (environment, isQuick, say) => measureSizes(environment, profileOf(isQuick), say) },
  blobs: { steps: 4, measure: (environment, isQuick, say) => measureBlobs(environment, profileOf(isQuick), say) },
  growth: {
    steps: 2,
    measure: (environment, isQuick, say) =>
      measureGrowth(
        environment,
        {
          profile: isQuick ? quickProfile : fullProfile,
          filling: isQuick ? { devices: 2_000_000, messages: 1_000_000 } : { devices: 10_000_000, messages: 5_000_000 },
        },
        say,
      ),
  },
  many: { steps: 1, measure: (environment, isQuick, say) => measureToMany(environment, profileOf(isQuick), say) },
};
const stepsOfMemory = 2;
const usualParts = ["relay", "federation"];

const program = new Command("npm run bench --")
  .description("measure the throughput of this machine beside the theoretical minimum of work")
  .option("--quick", "about three minutes, less exact")
  .addOption(
    new Option(
      "--only <part>",
      "one part; sends is a part of relay, and a full run has neither latency, slots, sizes, blobs, growth, many nor memory",
    ).choices([...Object.keys(parts), "memory"]),
  )
  .option("--out <folder>", "folder for the result as JSON", "bench-results")
  .action(run);

async function run({ quick = false, only, out }: Options): Promise<void> {
  const mode = quick ? "quick" : "full";
  print(`${machineText()}; ${mode}, ciphertexts of 1,024 bytes unless a row says otherwise, fsync on.`);
  const names = only === undefined ? usualParts : [only];
  const measure = async (progress: Progress): Promise<object | NodeJS.Signals> => {
    const steps = names.reduce((sum, name) => sum + (parts[name]?.steps ?? stepsOfMemory), 0);
    let [begun, result] = [0, {}];
    const say = (step: string) => progress.at(Math.min(1, begun++ / steps), step);
    const add = (report: Report): void => {
      progress.clear();
      print(`\n${report.text}`);
      result = { ...result, ...report.result };
    };
    // A PostgreSQL of the benchmark would share memory with the one that is measured.
    if (only === "memory") add(await measureMemory({ streams: quick ? 500 : 1_000 }, say));
    else {
      const ended = await inEnvironment(async (environment) => {
        for (const name of names) add(await (parts[name]?.measure as Measure)(environment, quick, say));
      });
      if (ended !== undefined) return ended;
    }
    return result;
  };
  const outcome = await withProgress("bench", measure, (ended) =>
    typeof ended === "string" ? undefined : names.join(", "),
  );
  if (typeof outcome === "string") return void process.kill(process.pid, outcome);
  printError(`written to ${await saveResult(out, outcome, only === undefined ? mode : `${only}-${mode}`)}`);
}

/** A signal first stops everything that was started, including the database, and then ends this process as usual. */
async function inEnvironment(
  work: (environment: BenchEnvironment) => Promise<void>,
): Promise<NodeJS.Signals | undefined> {
  const interrupted = new Promise<NodeJS.Signals>((settle) => {
    // A second signal finds no handler and ends the process at once.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, settle);
  });
  const environment = await openBenchEnvironment();
  const working = work(environment).then(() => undefined);
  return Promise.race([working, interrupted]).finally(() => environment.stop());
}

try {
  await program.parseAsync();
} catch (problem) {
  printError(describeProblem(problem));
  process.exitCode = 1;
}
