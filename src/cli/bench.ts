import { Command } from "commander";
import type { Place } from "./bench/place.js";

export function benchCommand(): Command {
  return new Command("bench")
    .description("measure what this machine carries, beside the least that is possible; ends by itself")
    .option("--quick", "about three minutes, less exact")
    .option("--only <part>", "relay or federation; or growth, churn or overload, which are no parts of the whole")
    .option("--out <folder>", "where the result is written as JSON", "bench-results")
    .action(run);
}

/** The processes that the benchmark measures, which it starts by a command of their own. */
export function benchProcessCommand(): Command {
  return new Command("bench-process")
    .description("a process that `bench` measures")
    .argument("<role>")
    .action(async (role: string) => (await import("./bench/process.js")).runMeasured(role));
}

interface Wishes {
  quick?: boolean;
  only?: string;
  out: string;
}

/** A signal ends what was started, database included, and then does to this process what it always does. */
async function run(wishes: Wishes): Promise<void> {
  const interrupted = interruption();
  const place = await (await import("./bench/place.js")).openPlace();
  const ended = await Promise.race([measure(place, wishes), interrupted]).finally(() => place.stop());
  if (ended !== undefined) process.kill(process.pid, ended);
}

/** A second signal finds no handler and ends the process at once. */
function interruption(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, settle);
  });
}

async function measure(place: Place, { quick, only, out }: Wishes): Promise<void> {
  const { fullExtent, measureAll, quickExtent } = await import("./bench/measure.js");
  const { describeResult, saveResult } = await import("./bench/report.js");
  const federated = await import("./bench/federation/measure.js");
  const { describeFederation } = await import("./bench/federation/report.js");
  const mode = quick ? "quick" : "full";
  const say = (line: string) => console.error(`… ${line}`);
  if (only === "churn") return measureComingAndGoing(place, { mode, out, say });
  if (only === "growth") return measureAsItGrows(place, { mode, out, say });
  if (only === "overload") return measureTooMuch(place, { mode, out, say });
  const relay = only === "federation" ? undefined : await measureAll(place, quick ? quickExtent : fullExtent, say);
  if (relay !== undefined) console.log(describeResult(relay, mode));
  const extent = quick ? federated.quickExtent : federated.fullExtent;
  const federation = only === "relay" ? undefined : await federated.measureFederation(place, extent, say);
  if (federation !== undefined) console.log(`\n${describeFederation(federation)}`);
  const result = { ...relay, ...(federation && { federation }) };
  console.error(`written to ${await saveResult(out, result, mode)}`);
}

interface Manner {
  mode: "quick" | "full";
  out: string;
  say: (line: string) => void;
}

/** What becomes of sends when more come than are answered. */
async function measureTooMuch(place: Place, manner: Manner): Promise<void> {
  const { describeOverload, fullExtent, measureOverload, quickExtent } = await import("./bench/overload.js");
  const overload = await measureOverload(place, manner.mode === "quick" ? quickExtent : fullExtent, manner.say);
  await tell(manner, "overload", { text: describeOverload(overload), result: { overload } });
}

/** What the main job costs beside ever more devices and messages. */
async function measureAsItGrows(place: Place, manner: Manner): Promise<void> {
  const { fullExtent, measureGrowth, quickExtent } = await import("./bench/growth/measure.js");
  const { describeGrowth } = await import("./bench/growth/report.js");
  const growth = await measureGrowth(place, manner.mode === "quick" ? quickExtent : fullExtent, manner.say);
  await tell(manner, "growth", { text: describeGrowth(growth), result: { growth } });
}

/** What the tables look like while very many messages come and go. */
async function measureComingAndGoing(place: Place, manner: Manner): Promise<void> {
  const { fullExtent, measureChurn, quickExtent } = await import("./bench/growth/churn.js");
  const { describeChurn } = await import("./bench/growth/report.js");
  const churn = await measureChurn(place, manner.mode === "quick" ? quickExtent : fullExtent, manner.say);
  await tell(manner, "churn", { text: describeChurn(churn), result: { churn } });
}

/** Prints the table of a part that stands alone, and writes its result. */
async function tell({ mode, out }: Manner, part: string, { text, result }: { text: string; result: object }) {
  const { machineText, saveResult } = await import("./bench/report.js");
  console.log(`${machineText()}; ${mode}, fsync on.\n\n${text}`);
  console.error(`written to ${await saveResult(out, result, `${part}-${mode}`)}`);
}
