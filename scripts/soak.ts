import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Progress, withProgress } from "../src/platform/progress.js";
import { createLedger } from "../test/crash/ledger.js";
import { transpile } from "../test/support/transpiled.js";
import { countKills, type KillPlan, type Kills, keepKilling } from "./soak/killing.js";
import { checkOutcome, type Finding } from "./soak/outcome.js";
import { type Relays, startRelays } from "./soak/relays.js";
import { createSamples, keepSampling, type Samples } from "./soak/sampling.js";
import { bounds, describeTrend, type Trend, trendOf } from "./soak/series.js";
import { startWork, type Work } from "./soak/work.js";

interface SoakOptions extends KillPlan {
  /** The run ends after this time or after the maximum number of kills. */
  minutes: number;
}

interface SoakResult {
  kills: Kills;
  seconds: number;
  findings: readonly Finding[];
  trends: readonly Trend[];
}

const project = fileURLToPath(new URL("..", import.meta.url));
const samplesPerRun = 400;
const longestSampleSeconds = 15;
const progressMillis = 1_000;
/** The first signal ends the run early but in order; the second ends it at once. */
const interruptions = ["SIGINT", "SIGTERM"] as const;

/**
 * The run that is part of `npm test`: a minute with a kill every eight seconds, beside the other steps. Faults that
 * take hours to show need a run by hand.
 */
const shortRun: SoakOptions = { minutes: 1, everySeconds: 8, max: Number.POSITIVE_INFINITY, sparesOne: true };

/** Lets two relays work while their processes are killed, and reports what was found. */
async function soak(options: SoakOptions): Promise<SoakResult> {
  await transpile();
  const relays = await startRelays();
  try {
    return await withProgress(
      "soak",
      (progress) => run(relays, options, progress),
      ({ kills, findings }) => `${countKills(kills)} kills, ${findings.filter(({ holds }) => !holds).length} failures`,
    );
  } finally {
    await relays.stop();
  }
}

export async function shortSoak(): Promise<Finding[]> {
  const result = await soak(shortRun);
  console.log(describe(result));
  return [...result.findings];
}

async function run(relays: Relays, options: SoakOptions, { at }: Progress): Promise<SoakResult> {
  const samples = createSamples();
  const work = await startWork(relays, createLedger(observers(samples)));
  const kills: Kills = new Map();
  const ending = new AbortController();
  const { signal } = ending;
  const startMillis = performance.now();
  const everySeconds = Math.min(longestSampleSeconds, (options.minutes * 60) / samplesPerRun);
  const sampling = keepSampling(relays, samples, { everySeconds, signal });
  const progress = setInterval(() => {
    const ofTime = (performance.now() - startMillis) / (options.minutes * 60_000);
    at(Math.max(ofTime, countKills(kills) / options.max), describeProgress(kills, work));
  }, progressMillis);
  const timer = setTimeout(() => ending.abort(), Math.min(options.minutes * 60_000, 2 ** 31 - 1));
  const interrupt = () => ending.abort();
  for (const name of interruptions) process.once(name, interrupt);
  await keepKilling(relays, options, { kills, signal, accepted: () => work.ledger.accepted.size });
  for (const name of interruptions) process.off(name, interrupt);
  clearTimeout(timer);
  clearInterval(progress);
  ending.abort();
  const endMillis = performance.now();
  await sampling;
  at(1, "receiving what is left");
  const findings = await checkOutcome(relays, work);
  const trends = samples.all().flatMap((series) => trendOf(series, { startMillis, endMillis }) ?? []);
  return { kills, seconds: (endMillis - startMillis) / 1000, findings, trends };
}

/** Latency of answers, and the time from the creation of a message, which is in its id, to its push. */
function observers({ note }: Samples) {
  const noteBoth = (name: string, millis: number) => {
    note(`${name}, p50`, millis, { unit: "milliseconds", bound: bounds.medianLatency });
    note(`${name}, p99`, millis, { unit: "milliseconds", bound: bounds.slowLatency, quantile: 0.99 });
  };
  return {
    onAnswer: (millis: number) => noteBoth("time to an answer", millis),
    onPush: (messageId: string) => noteBoth("time to a push", Date.now() - millisOf(messageId)),
  };
}

/** When a message was made: the first 48 bits of its id. */
function millisOf(messageId: string): number {
  return Number.parseInt(messageId.replaceAll("-", "").slice(0, 12), 16);
}

function describeProgress(kills: Kills, { ledger }: Work): string {
  return `${countKills(kills)} kills, ${ledger.accepted.size} messages accepted, ${ledger.cameBack.length} came back`;
}

function describe({ kills, seconds, findings, trends }: SoakResult): string {
  const named = [...kills].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `soak: ${(seconds / 60).toFixed(1)} minutes, ${countKills(kills)} processes killed (${named})`,
    ...findings.map(({ holds, text }) => `${holds ? "ok" : "FAIL"}    ${text}`),
    "first quarter -> last quarter:",
    ...trends.map(describeTrend),
  ].join("\n");
}

/** The options on the command line. With `--kills`, the run ends after this many kills, and every process is killed. */
function optionsOf(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: "string" }, kills: { type: "string" }, "kill-every": { type: "string" } },
  });
  const { minutes = "5", kills, "kill-every": everySeconds } = values;
  return {
    minutes: kills !== undefined && values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes),
    everySeconds: Number(everySeconds ?? (kills === undefined ? Math.min(300, Number(minutes) * 6) : 2)),
    max: kills === undefined ? Number.POSITIVE_INFINITY : Number(kills),
    sparesOne: kills === undefined,
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(project);
  const result = await soak(optionsOf(process.argv.slice(2)));
  console.log(describe(result));
  if (result.findings.some(({ holds }) => !holds)) process.exitCode = 1;
}
