import type { BenchEnvironment } from "./environment.js";
import type { Load } from "./load.js";
import { drainQueues } from "./queues.js";
import { millis, processors, type Report, rate, table } from "./report.js";
import { compareSends, type Profile } from "./sends.js";
import { measurePush, type PushResult } from "./streams.js";

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
