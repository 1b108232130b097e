import { setTimeout as sleep } from "node:timers/promises";
import type { FlushWait } from "../../src/platform/concurrency/flush-waits.js";
import type { BenchEnvironment, Measured, Watched } from "./environment.js";
import type { Load } from "./load.js";
import { millis, percent, type Report, rate, table } from "./report.js";
import type { PostgresWaits, Samples } from "./samples.js";
import { openLoads, type Profile } from "./sends.js";
import { type Arrival, measurePush, type PushResult } from "./streams.js";

// The way of a message and of its acknowledgement, with a name for everything that they wait for. Every second message is
// traced, which costs the relay a few microseconds.

/** How far a process had got at a moment, in milliseconds: its clock, and how long each of these had lasted. */
interface Moment {
  at: number;
  /** Its event loop had nothing to do. */
  idle: number;
  /** Messages or acknowledgements waited for a flush, by the reason. */
  waits: Readonly<Record<FlushWait, number>>;
  /** The process of PostgreSQL that stores the message. */
  backend?: number | undefined;
}

/** The moments at which a message passed its steps. */
type Trace = Readonly<Partial<Record<string, Moment>>>;

/** Messages per second; undefined sends the next message as soon as the last one is answered. */
const rates = [300, 1_000, undefined];
const connections = 64;
const acknowledgementMillis = 500;

interface Traced {
  rate: number | undefined;
  push: PushResult;
  postgres: PostgresWaits;
  /** The idle share of the machine. */
  idle: number;
  /** The share that processes had which have no part in this. */
  others: number;
  message: readonly Wait[];
  /** The same of the slowest hundredth. */
  slowest: readonly Wait[];
  acknowledgement: readonly Wait[];
  /** What passed while messages waited for PostgreSQL: in the mean of all, and of the slowest hundredth. */
  meanwhile: { all: Meanwhile; slowest: Meanwhile };
}

/** Mean milliseconds of a message, by what passed in them. */
type Meanwhile = ReadonlyMap<string, number>;

interface Wait {
  name: string;
  mean: number;
  /** Its share of the whole way, and the share of it in which the relay's event loop had nothing to do. */
  share: number;
  idle: number | undefined;
}

export async function measureLatency(
  environment: BenchEnvironment,
  profile: Profile,
  say: (line: string) => void,
): Promise<Report> {
  const { single } = await openLoads(environment, { ...profile, seconds: 2 * profile.seconds });
  await single.target.ask("trace");
  const traced: Traced[] = [];
  for (const wanted of rates) {
    say(`tracing ${nameOf(wanted)}`);
    traced.push(
      await trace({ ...single, connections, ...(wanted === undefined ? {} : { rate: wanted }) }, environment),
    );
  }
  await single.target.stop();
  const of = (which: "message" | "slowest" | "acknowledgement") =>
    table(["wait", ...traced.map((one) => nameOf(one.rate))], rowsOf(traced.map((one) => one[which])));
  const text = [
    `${table(["", ...traced.map((one) => nameOf(one.rate))], summaryOf(traced))}`,
    `A message, from the request to its arrival: mean, share of the way, and the share in which the relay's event loop was idle.\n\n${of("message")}`,
    `The slowest hundredth of the messages.\n\n${of("slowest")}`,
    `What passed meanwhile, in milliseconds of a message: mean of all, and of the slowest hundredth.\n\n${table(["", ...traced.map((one) => nameOf(one.rate))], meanwhileRows(traced))}`,
    `The acknowledgement of a message, from its frame to the confirmation.\n\n${of("acknowledgement")}`,
  ].join("\n\n");
  return {
    text,
    result: {
      traced: traced.map(({ push: { arrivals: _, ...push }, meanwhile: { all, slowest }, ...one }) => ({
        ...{ ...one, push },
        meanwhile: { all: Object.fromEntries(all), slowest: Object.fromEntries(slowest) },
      })),
    },
  };
}

async function trace(load: Load & { target: Measured }, environment: BenchEnvironment): Promise<Traced> {
  let ended: Promise<Watched> | undefined;
  const push = await measurePush({
    ...load,
    onMeasure: () => {
      ended = environment.watchWaits(load.seconds, load.target);
    },
  });
  await sleep(acknowledgementMillis);
  const traces = new Map(await load.target.ask<[string, Trace][]>("steps"));
  if (ended === undefined) throw new Error("nothing was measured");
  const ways = (arrivals: readonly Arrival[]) =>
    arrivals.map((arrival) => ({ ...traces.get(arrival.id), ...endsOf(arrival) }));
  const { samples, ...machine } = await ended;
  const all = ways(push.arrivals);
  const slowest = ways(slowestOf(push.arrivals.filter(({ id }) => traces.has(id))));
  const meanwhile = (of: readonly Trace[]) => meanwhileOf(of, { samples, relay: load.target.pid });
  return {
    rate: load.rate,
    push,
    ...{ postgres: samples.shares(), ...machine },
    message: waitsOf(all, messageWay),
    slowest: waitsOf(slowest, messageWay),
    meanwhile: { all: meanwhile(all), slowest: meanwhile(slowest) },
    acknowledgement: waitsOf(
      push.arrivals.map(({ id }) => traces.get(id) ?? {}),
      acknowledgementWay,
    ),
  };
}

/** The slowest hundredth. */
function slowestOf(arrivals: readonly Arrival[]): Arrival[] {
  const took = ({ sentAt, arrivedAt }: Arrival): number => arrivedAt - sentAt;
  return arrivals.toSorted((a, b) => took(b) - took(a)).slice(0, Math.ceil(arrivals.length / 100));
}

/** What the driver saw, which knows nothing of the relay. */
function endsOf({ sentAt, arrivedAt }: Arrival): Trace {
  const moment = (at: number): Moment => ({ at, idle: Number.NaN, waits: { pace: 0, "other flush": 0, turn: 0 } });
  return { sent: moment(sentAt), arrived: moment(arrivedAt) };
}

/** The step that ends each wait. The wait for a flush is divided by its reasons. */
type Way = readonly (readonly [step: string, wait: string])[];

const messageWay: Way = [
  ["sent", ""],
  ["parsed", "socket and request, with the driver's event loop"],
  ["flushing", ""],
  ["connected", "pool"],
  ["counted", "PostgreSQL: look-ups, windows, keys and counters, with locks"],
  ["decided", "decision"],
  ["committed", "PostgreSQL: rows, commit and sync"],
  ["notified", "notifying the stream"],
  ["pushed", "stream's window"],
  ["arrived", "socket, with the driver's event loop"],
];
const acknowledgementWay: Way = [
  ["ack_read", ""],
  ["ack_flushing", ""],
  ["ack_connected", "pool"],
  ["ack_deleted", "PostgreSQL: rows, with locks"],
  ["ack_committed", "PostgreSQL: counters, commit and sync"],
  ["ack_answered", "earlier confirmations"],
];
const flushWaits: readonly FlushWait[] = ["pace", "other flush", "turn"];

/** The waits for PostgreSQL: the steps between which they are, and their names. */
const answers = [
  ["connected", "counted", "first answer"],
  ["decided", "committed", "commit"],
] as const;

function meanwhileOf(traces: readonly Trace[], { samples, relay }: { samples: Samples; relay: number }): Meanwhile {
  const sums = new Map<string, number>();
  const add = (name: string, millis: number): void => void sums.set(name, (sums.get(name) ?? 0) + millis);
  let count = 0;
  for (const trace of traces) {
    const between = (first: string, last: string) => ({ from: trace[first]?.at ?? 0, to: trace[last]?.at ?? 0 });
    const way = between("sent", "arrived");
    const backend = trace.connected?.backend;
    if (backend === undefined || trace.committed === undefined || !samples.covers(way)) continue;
    count += 1;
    for (const [first, last, name] of answers) {
      const interval = between(first, last);
      add(`${name}: in all`, interval.to - interval.from);
      for (const [did, millis] of Object.entries(samples.didOf(backend, interval))) add(`${name}: ${did}`, millis);
      add(`${name}: its process had no processor`, samples.delayOf(backend, interval));
      add(`${name}: the relay had no processor`, samples.delayOf(relay, interval));
      for (const [kind, millis] of Object.entries(samples.helpersIn(interval))) add(`${name}: ${kind} worked`, millis);
    }
    add("the whole way: in all", way.to - way.from);
    add("the whole way: the relay had no processor", samples.delayOf(relay, way));
    add("the whole way: the driver had no processor", samples.delayOf(process.pid, way));
  }
  return new Map([...sums].map(([name, sum]) => [name, sum / count]));
}

/** Less in every column is not worth a row. */
const shownMillis = 0.02;

function meanwhileRows(traced: readonly Traced[]): string[][] {
  const names = new Set(
    traced
      .flatMap(({ meanwhile }) => [...meanwhile.slowest].filter(([, millis]) => millis >= shownMillis))
      .map(([name]) => name),
  );
  const of = (meanwhile: Meanwhile, name: string) => (meanwhile.get(name) ?? 0).toFixed(2);
  return [...names]
    .sort()
    .map((name) => [
      name,
      ...traced.map(({ meanwhile: { all, slowest } }) => `${of(all, name)}; ${of(slowest, name)}`),
    ]);
}

function waitsOf(traces: readonly Trace[], way: Way): Wait[] {
  const whole = traces.filter((one) => way.every(([step]) => one[step] !== undefined));
  const mean = (of: (one: Trace) => number): number => whole.reduce((sum, one) => sum + of(one), 0) / whole.length;
  const between =
    (from: string, to: string) =>
    (of: (moment: Moment) => number): number =>
      mean((one) => of(one[to] as Moment) - of(one[from] as Moment));
  const [first, last] = [way[0]?.[0] ?? "", way.at(-1)?.[0] ?? ""];
  const all = between(first, last)(({ at }) => at);
  const wait = (name: string, time: number, idle?: number): Wait => ({ name, mean: time, share: time / all, idle });
  return way.slice(1).flatMap(([step, name], i) => {
    const passed = between(way[i]?.[0] ?? "", step);
    const time = passed(({ at }) => at);
    const idle = passed((moment) => moment.idle) / time;
    if (!step.endsWith("flushing")) return [wait(name, time, Number.isNaN(idle) ? undefined : idle)];
    const parts = flushWaits.map((reason) =>
      wait(
        reason,
        passed(({ waits }) => waits[reason]),
      ),
    );
    const rest = time - parts.reduce((sum, one) => sum + one.mean, 0);
    return [...parts, wait("until it joins a flush, in all", time, idle), wait("of it, work of the relay", rest)];
  });
}

function rowsOf(columns: readonly (readonly Wait[])[]): string[][] {
  const text = ({ mean, share, idle }: Wait): string =>
    `${millis(mean)}, ${percent(share)}${idle === undefined ? "" : `, idle ${percent(idle)}`}`;
  return (columns[0] ?? []).map(({ name }, i) => [name, ...columns.map((column) => text(column[i] as Wait))]);
}

function summaryOf(traced: readonly Traced[]): string[][] {
  const row = (name: string, of: (one: Traced) => string): string[] => [name, ...traced.map(of)];
  return [
    row("messages", ({ push }) => rate(push.perSecond)),
    row("push", ({ push }) => `p50 ${millis(push.p50)}, p99 ${millis(push.p99)}`),
    row("machine idle", ({ idle }) => percent(idle)),
    row("machine busy with something else", ({ others }) => percent(others)),
    row("PostgreSQL, while a client waits for it: works", ({ postgres }) => percent(postgres.works)),
    row("waits for a lock of another transaction", ({ postgres }) => percent(postgres.lock)),
    row("waits for a lock of its own memory", ({ postgres }) => percent(postgres.lightweightLock)),
    row("writes and syncs its log", ({ postgres }) => percent(postgres.sync)),
    row("waits for the relay within a transaction", ({ postgres }) => percent(postgres.client)),
  ];
}

function nameOf(wanted: number | undefined): string {
  return wanted === undefined ? "the peak" : rate(wanted);
}
