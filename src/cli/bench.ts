import { Command } from "commander";
import type { BenchEnvironment } from "../tools/bench/context.js";
import { print, printError } from "./print.js";

export function benchCommand(): Command {
  return new Command("bench")
    .description("measure the throughput of this machine beside the theoretical minimum of work")
    .option("--quick", "about three minutes, less exact")
    .option("--long", "with growth: 10 million devices and 50 million messages too, in 60 GB of disk and half an hour")
    .option(
      "--only <part>",
      "relay, of which sends is a part, or federation; or drain, latency, stream-sends, many, memory, growth, churn or overload, which a full run does not include",
    )
    .option("--out <folder>", "folder for the result as JSON", "bench-results")
    .action(run);
}

/** The benchmark starts each process that it measures by this command. */
export function benchProcessCommand(): Command {
  return new Command("bench-process")
    .description("run a process that `bench` measures")
    .argument("<role>")
    .action(async (role: string) => (await import("../tools/bench/process.js")).runMeasured(role));
}

interface Options {
  quick?: boolean;
  long?: boolean;
  only?: string;
  out: string;
}

/** A signal first stops everything that was started, including the database, and then ends this process as usual. */
async function run(options: Options): Promise<void> {
  // A PostgreSQL of the benchmark would share memory with the one that is measured.
  if (options.only === "memory") return measureMemoryOfRelays({ ...options, mode: options.quick ? "quick" : "full" });
  const interrupted = interruption();
  const environment = await (await import("../tools/bench/context.js")).openBenchEnvironment();
  const ended = await Promise.race([measure(environment, options), interrupted]).finally(() => environment.stop());
  if (ended !== undefined) process.kill(process.pid, ended);
}

/** A second signal finds no handler and ends the process at once. */
function interruption(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, settle);
  });
}

async function measure(environment: BenchEnvironment, { quick, long, only, out }: Options): Promise<void> {
  const { fullProfile, measureAll, quickProfile } = await import("../tools/bench/measure.js");
  const { describeResult, saveResult } = await import("../tools/bench/report.js");
  const federated = await import("../tools/bench/federation/measure.js");
  const { describeFederation } = await import("../tools/bench/federation/report.js");
  const mode = quick ? "quick" : long ? "long" : "full";
  const say = (line: string) => printError(`… ${line}`);
  if (only === "sends") return compareSends(environment, { mode, out, say });
  if (only === "many") return measureMessagesToMany(environment, { mode, out, say });
  if (only === "drain") return measureDrains(environment, { mode, out, say });
  if (only === "latency") return measureLatencies(environment, { mode, out, say });
  if (only === "stream-sends") return measureSendsOnStreams(environment, { mode, out, say });
  if (only === "churn") return measureTableChurn(environment, { mode, out, say });
  if (only === "growth") return measureDatabaseGrowth(environment, { mode, out, say });
  if (only === "overload") return measureUnderOverload(environment, { mode, out, say });
  const relay =
    only === "federation" ? undefined : await measureAll(environment, quick ? quickProfile : fullProfile, say);
  if (relay !== undefined) print(describeResult(relay, mode));
  const profile = quick ? federated.quickProfile : federated.fullProfile;
  const federation = only === "relay" ? undefined : await federated.measureFederation(environment, profile, say);
  if (federation !== undefined) print(`\n${describeFederation(federation)}`);
  const result = { ...relay, ...(federation && { federation }) };
  printError(`written to ${await saveResult(out, result, mode)}`);
}

interface Mode {
  mode: "quick" | "full" | "long";
  out: string;
  say: (line: string) => void;
}

/** Measures sends beside the floors, and beside NATS JetStream where it is installed. */
async function compareSends(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { fullProfile, measureSends, quickProfile } = await import("../tools/bench/measure.js");
  const { describeSends } = await import("../tools/bench/report.js");
  const sends = await measureSends(environment, runMode.mode === "quick" ? quickProfile : fullProfile, runMode.say);
  await report(runMode, "sends", { text: describeSends(sends), result: { sends } });
}

/** Measures how long a queue takes to be emptied by polls and by the stream. */
async function measureDrains(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { describeDrain, fullProfile, measureDrain, quickProfile } = await import("../tools/bench/stream/measure.js");
  const { drain } = runMode.mode === "quick" ? quickProfile : fullProfile;
  const rows = await measureDrain(environment, drain, runMode.say);
  await report(runMode, "drain", { text: describeDrain(rows), result: { drain: rows } });
}

/** Measures the time from sending to push at a steady rate, and traces the slowest messages. */
async function measureLatencies(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { describeLatency, measureLatency } = await import("../tools/bench/stream/latency.js");
  const turns = runMode.mode === "quick" ? { turns: 3, seconds: 5 } : { turns: 10, seconds: 10 };
  const latency = await measureLatency(environment, { rate: 1_000, senders: 200, ...turns }, runMode.say);
  await report(runMode, "latency", { text: describeLatency(latency), result: { latency } });
}

/** Measures what a message costs that is sent on a stream, beside one that is sent by POST. */
async function measureSendsOnStreams(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const measures = await import("../tools/bench/stream/measure.js");
  const { sends } = runMode.mode === "quick" ? measures.quickProfile : measures.fullProfile;
  const result = await measures.measureStreamSends(environment, sends, runMode.say);
  await report(runMode, "stream-sends", { text: measures.describeSends(result), result: { sends: result } });
}

/** Measures the memory of whole relays, with the PostgreSQL that they bring. */
async function measureMemoryOfRelays({ mode, out }: Pick<Mode, "mode" | "out">): Promise<void> {
  const measures = await import("../tools/bench/memory/measure.js");
  const say = (line: string) => printError(`… ${line}`);
  const memory = await measures.measureMemory(mode === "quick" ? measures.quickProfile : measures.fullProfile, say);
  await report({ mode, out }, "memory", { text: measures.describeMemory(memory), result: { memory } });
}

/** Measures sends when more requests arrive than can be answered. */
async function measureUnderOverload(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { describeOverload, fullProfile, measureOverload, quickProfile } = await import("../tools/bench/overload.js");
  const overload = await measureOverload(
    environment,
    runMode.mode === "quick" ? quickProfile : fullProfile,
    runMode.say,
  );
  await report(runMode, "overload", { text: describeOverload(overload), result: { overload } });
}

/** Measures what a recipient more of a message to many costs. */
async function measureMessagesToMany(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { describeToMany, fullProfile, measureToMany, quickProfile } = await import("../tools/bench/to-many.js");
  const toMany = await measureToMany(environment, runMode.mode === "quick" ? quickProfile : fullProfile, runMode.say);
  await report(runMode, "many", { text: describeToMany(toMany), result: { toMany } });
}

/** Measures the cost of sending and polling with ever more devices and messages in the database. */
async function measureDatabaseGrowth(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { fullProfile, longProfile, measureGrowth, quickProfile } = await import("../tools/bench/growth/measure.js");
  const { describeGrowth } = await import("../tools/bench/growth/report.js");
  const profiles = { quick: quickProfile, full: fullProfile, long: longProfile };
  const growth = await measureGrowth(environment, profiles[runMode.mode], runMode.say);
  await report(runMode, "growth", { text: describeGrowth(growth), result: { growth } });
}

/** Measures the tables while very many messages are sent and acknowledged. */
async function measureTableChurn(environment: BenchEnvironment, runMode: Mode): Promise<void> {
  const { fullProfile, measureChurn, quickProfile } = await import("../tools/bench/growth/churn.js");
  const { describeChurn } = await import("../tools/bench/growth/report.js");
  const churn = await measureChurn(environment, runMode.mode === "quick" ? quickProfile : fullProfile, runMode.say);
  await report(runMode, "churn", { text: describeChurn(churn), result: { churn } });
}

/** Prints the table of a part that is measured alone, and writes its result. */
async function report(
  { mode, out }: Pick<Mode, "mode" | "out">,
  part: string,
  { text, result }: { text: string; result: object },
) {
  const { machineText, saveResult } = await import("../tools/bench/report.js");
  print(`${machineText()}; ${mode}, fsync on.\n\n${text}`);
  printError(`written to ${await saveResult(out, result, `${part}-${mode}`)}`);
}
