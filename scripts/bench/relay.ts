import { type MessageStep, messageSteps } from "../../src/platform/message-steps.js";
import type { BenchEnvironment, Measured } from "./environment.js";
import type { Load } from "./load.js";
import { drainQueues } from "./queues.js";
import { millis, part, processors, type Report, rate, table } from "./report.js";
import { compareSends, openLoads, type Profile } from "./sends.js";
import { type Arrival, measurePush, type PushResult } from "./streams.js";
import { median } from "./turns.js";

/** Messages per second at which pushes are timed. */
const steadyRates = [300, 1_000];
/** Few enough that none waits for the driver, but more than the rate needs. */
const steadyConnections = 64;

type Say = (line: string) => void;

/** Sends compared with their floor, polls and acknowledgements, and pushed messages. */
export async function measureRelay(environment: BenchEnvironment, profile: Profile, say: Say): Promise<Report> {
  const { loads, ...sends } = await compareSends(environment, profile, say);
  const { port } = loads.single.target;
  say("polls and acknowledgements");
  const drain = await drainQueues(port, loads.single.recipients, 10 * profile.seconds);
  say("messages that go the whole way");
  const { perSecond, sent } = await measurePush(loads.single);
  const steady = await measureSteady(loads.single, say);
  await loads.single.target.stop();
  const rows = [
    ["polls, pages of 100", rate(drain.polledPerSecond), ""],
    ["acknowledgements, lists of 100", rate(drain.acknowledgedPerSecond), ""],
    ["sent, pushed and acknowledged", rate(perSecond), processors(sent)],
    ...steady.map(({ wanted, push }) => [
      `send to push at ${rate(wanted)}`,
      `p50 ${millis(push.p50)}, p95 ${millis(push.p95)}, p99 ${millis(push.p99)}`,
      processors(push.sent),
    ]),
  ];
  return {
    text: `${sends.text}\n\n${table(["measure", "value", "processor time a message"], rows)}`,
    result: { ...sends.result, drain, wholeWay: { perSecond, sent }, steady: steady.map(withoutArrivals) },
  };
}

/** The same steady rates alone, and the share of each step on a message's path. Tracing costs some processor time. */
export async function measureLatency(environment: BenchEnvironment, profile: Profile, say: Say): Promise<Report> {
  const { single } = await openLoads(environment, profile);
  await single.target.ask("trace");
  const steady = await measureSteady(single, say);
  const steps = await stepsOf(single.target);
  await single.target.stop();
  const shares = steady.map(({ push }) => sharesOf(push.arrivals, steps));
  const names = [...messageSteps, "arrived"] as const;
  const rows = steady.map(({ wanted, push }, i) => [
    rate(wanted),
    ...[push.p50, push.p95, push.p99].map(millis),
    ...names.map((name) => `${millis(shares[i]?.[name]?.median ?? 0)}, ${part(shares[i]?.[name]?.share ?? 0, "all")}`),
  ]);
  return {
    text: `${table(["rate", "p50", "p95", "p99", ...names], rows)}\n\nA step: the median of the time since the step before, and its share of the whole time.`,
    result: { steady: steady.map(withoutArrivals), shares },
  };
}

async function measureSteady(load: Load, say: Say): Promise<Steady[]> {
  const steady: Steady[] = [];
  for (const wanted of steadyRates) {
    say(`pushes at ${wanted} messages a second`);
    steady.push({ wanted, push: await measurePush({ ...load, connections: steadyConnections, rate: wanted }) });
  }
  return steady;
}

interface Steady {
  wanted: number;
  push: PushResult;
}

function withoutArrivals({ wanted, push: { arrivals: _, ...push } }: Steady): object {
  return { wanted, ...push };
}

type Steps = Partial<Record<MessageStep, number>>;
type Shares = Record<MessageStep | "arrived", { median: number; share: number }>;

async function stepsOf(target: Measured): Promise<ReadonlyMap<string, Steps>> {
  return new Map(await target.ask<[string, Steps][]>("steps"));
}

/** The time of each step since the previous one. A step that a message skipped took no time. */
function sharesOf(arrivals: readonly Arrival[], steps: ReadonlyMap<string, Steps>): Shares {
  const times = new Map<string, number[]>();
  for (const { id, sentAt, arrivedAt } of arrivals) {
    let last = sentAt;
    for (const [step, at] of Object.entries({ ...steps.get(id), arrived: arrivedAt })) {
      const of = times.get(step) ?? [];
      of.push(at - last);
      times.set(step, of);
      last = at;
    }
  }
  const whole = arrivals.reduce((sum, { sentAt, arrivedAt }) => sum + arrivedAt - sentAt, 0);
  const shareOf = (of: readonly number[]) => of.reduce((sum, time) => sum + time, 0) / whole;
  return Object.fromEntries(
    [...times].map(([step, of]) => [step, { median: median(of), share: shareOf(of) }]),
  ) as Shares;
}
