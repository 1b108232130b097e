import { Command } from "commander";

export function benchCommand(): Command {
  return new Command("bench")
    .description("measure what this machine carries, beside the least that is possible; ends by itself")
    .option("--quick", "less than a minute, less exact")
    .option("--only <part>", "one part of it: relay or federation")
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

async function run({ quick, only, out }: Wishes): Promise<void> {
  const { openPlace } = await import("./bench/place.js");
  const { fullExtent, measureAll, quickExtent } = await import("./bench/measure.js");
  const { describeResult, saveResult } = await import("./bench/report.js");
  const federated = await import("./bench/federation/measure.js");
  const { describeFederation } = await import("./bench/federation/report.js");
  const mode = quick ? "quick" : "full";
  const place = await openPlace();
  try {
    const say = (line: string) => console.error(`… ${line}`);
    const relay = only === "federation" ? undefined : await measureAll(place, quick ? quickExtent : fullExtent, say);
    if (relay !== undefined) console.log(describeResult(relay, mode));
    const extent = quick ? federated.quickExtent : federated.fullExtent;
    const federation = only === "relay" ? undefined : await federated.measureFederation(place, extent, say);
    if (federation !== undefined) console.log(`\n${describeFederation(federation)}`);
    const result = { ...relay, ...(federation && { federation }) };
    console.error(`written to ${await saveResult(out, result, mode)}`);
  } finally {
    await place.stop();
  }
}
