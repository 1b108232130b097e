import { Command } from "commander";

export function benchCommand(): Command {
  return new Command("bench")
    .description("measure what this machine carries, beside the least that is possible; ends by itself")
    .option("--quick", "less than a minute, less exact")
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

async function run({ quick, out }: { quick?: boolean; out: string }): Promise<void> {
  const { openPlace } = await import("./bench/place.js");
  const { fullExtent, measureAll, quickExtent } = await import("./bench/measure.js");
  const { describeResult, saveResult } = await import("./bench/report.js");
  const mode = quick ? "quick" : "full";
  const place = await openPlace();
  try {
    const result = await measureAll(place, quick ? quickExtent : fullExtent, (line) => console.error(`… ${line}`));
    console.log(describeResult(result, mode));
    console.error(`written to ${await saveResult(out, result, mode)}`);
  } finally {
    await place.stop();
  }
}
