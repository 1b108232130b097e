import { Command, Option } from "commander";
import { describeProblem } from "../../src/cli/problem.js";
import { print, printError } from "../../src/platform/print.js";
import { measureBlobs } from "./blobs.js";
import { type BenchEnvironment, openBenchEnvironment } from "./environment.js";
import * as federation from "./federation.js";
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

type Measure = (environment: BenchEnvironment, isQuick: boolean) => Promise<Report>;

const say = (line: string): void => printError(`… ${line}`);
const profileOf = (isQuick: boolean) => (isQuick ? quickProfile : fullProfile);

/** What is measured. A full run measures the first two. */
const parts: Readonly<Record<string, Measure>> = {
  relay: (environment, isQuick) => measureRelay(environment, profileOf(isQuick), say),
  federation: (environment, isQuick) =>
    federation.measureFederation(environment, isQuick ? federation.quickProfile : federation.fullProfile, say),
  sends: (environment, isQuick) => measureSends(environment, profileOf(isQuick), say),
  latency: (environment, isQuick) => measureLatency(environment, profileOf(isQuick), say),
  slots: (environment, isQuick) => measureSlots(environment, profileOf(isQuick), say),
  sizes: (environment, isQuick) => measureSizes(environment, profileOf(isQuick), say),
  blobs: (environment, isQuick) => measureBlobs(environment, profileOf(isQuick), say),
  many: (environment, isQuick) => measureToMany(environment, profileOf(isQuick), say),
};
const usualParts = ["relay", "federation"];

const program = new Command("npm run bench --")
  .description("measure the throughput of this machine beside the theoretical minimum of work")
  .option("--quick", "about three minutes, less exact")
  .addOption(
    new Option(
      "--only <part>",
      "one part; sends is a part of relay, and a full run has neither latency, slots, sizes, blobs, many nor memory",
    ).choices([...Object.keys(parts), "memory"]),
  )
  .option("--out <folder>", "folder for the result as JSON", "bench-results")
  .action(run);

async function run({ quick = false, only, out }: Options): Promise<void> {
  const mode = quick ? "quick" : "full";
  print(`${machineText()}; ${mode}, ciphertexts of 1,024 bytes unless a row says otherwise, fsync on.`);
  let result = {};
  const add = (report: Report): void => {
    print(`\n${report.text}`);
    result = { ...result, ...report.result };
  };
  // A PostgreSQL of the benchmark would share memory with the one that is measured.
  if (only === "memory") add(await measureMemory({ streams: quick ? 500 : 1_000 }, say));
  else {
    const ended = await inEnvironment(async (environment) => {
      for (const name of only === undefined ? usualParts : [only])
        add(await (parts[name] as Measure)(environment, quick));
    });
    if (ended !== undefined) return void process.kill(process.pid, ended);
  }
  printError(`written to ${await saveResult(out, result, only === undefined ? mode : `${only}-${mode}`)}`);
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
