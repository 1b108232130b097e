import { setTimeout as sleep } from "node:timers/promises";
import type { BenchEnvironment, Measured } from "./context.js";
import { type LoadResult, runLoad } from "./load.js";
import { createLoadClients } from "./load-clients.js";
import { loadsOf, startNode } from "./measure.js";
import { type Flooded, flood } from "./open-loop.js";

export interface OverloadProfile {
  warmUpSeconds: number;
  seconds: number;
  /** Clients, each with a connection of its own. */
  connections: number;
}

export const quickProfile: OverloadProfile = { warmUpSeconds: 5, seconds: 6, connections: 3_000 };
export const fullProfile: OverloadProfile = { warmUpSeconds: 10, seconds: 30, connections: 6_000 };

export interface OverloadStep extends Flooded {
  /** Requests a second, of the peak. */
  ofPeak: number;
  /** Memory of the relay's process afterwards in bytes, after a garbage collection. */
  rss: number;
}

export interface OverloadResult {
  peak: LoadResult;
  steps: OverloadStep[];
}

const ordinary = 0.5;
const times = 3;
const deviceCount = 128;
const restMillis = 1_000;

/** Single sends at half of the peak, at three times the peak, and at half of it again. */
export async function measureOverload(
  environment: BenchEnvironment,
  profile: OverloadProfile,
  say: (line: string) => void,
): Promise<OverloadResult> {
  const node = await startNode(environment, await environment.createDatabase("overload"));
  const clients = await createLoadClients(node.port, deviceCount);
  const sides = { senders: clients.slice(deviceCount / 2), recipients: clients.slice(0, deviceCount / 2) };
  say("the peak: as many as are answered, of 256 at a time");
  const peak = await runLoad(loadsOf({ target: node, ...sides }, profile).single);
  const rated = { port: node.port, ...sides, connections: profile.connections, mostConnections: profile.connections };
  // The code that refuses requests needs a warm-up, too.
  await flood({ ...rated, rate: times * peak.perSecond, seconds: profile.warmUpSeconds });
  const steps: OverloadStep[] = [];
  for (const ofPeak of [ordinary, times, ordinary]) {
    say(`${ofPeak} times the peak`);
    await sleep(restMillis);
    const flooded = await flood({ ...rated, rate: ofPeak * peak.perSecond, seconds: profile.seconds });
    steps.push({ ...flooded, ofPeak, rss: await rssOf(node) });
  }
  await node.stop();
  return { peak, steps };
}

async function rssOf(node: Measured): Promise<number> {
  return (await node.memory()).rss;
}

/** The result as a Markdown table. */
export function describeOverload({ peak, steps }: OverloadResult): string {
  return [
    `Peak: ${peak.perSecond.toFixed(0)} single sends a second, p50 ${millis(peak.p50)} and p99 ${millis(peak.p99)}.`,
    "",
    "| sends, of the peak | accepted | refused | connections broken | accepted: p50, p99 | since they were sent | refused: p50, p99 | relay's memory |",
    "|---|---|---|---|---|---|---|---|",
    ...steps.map(
      (step) =>
        `| ${step.ofPeak} | ${perSecond(step.accepted, step)} | ${perSecond(step.refused, step)} | ${step.broken} | ${pair(step.ofAccepted)} | ${pair(step.sinceSent)} | ${pair(step.ofRefused)} | ${(step.rss / 2 ** 20).toFixed(0)} MiB |`,
    ),
  ].join("\n");
}

function perSecond(count: number, { seconds }: Flooded): string {
  return `${(count / seconds).toFixed(0)}/s`;
}

function pair({ p50, p99 }: { p50: number; p99: number }): string {
  return p99 === 0 ? "" : `${millis(p50)}, ${millis(p99)}`;
}

function millis(value: number): string {
  return `${value.toFixed(0)} ms`;
}
