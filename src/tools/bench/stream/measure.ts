import type { BenchEnvironment } from "../context.js";
import { createLoadClients } from "../load-clients.js";
import { startNode } from "../measure.js";
import { type DrainWay, drainQueue, fillQueue } from "./drain.js";
import { measureSends, type SendCost, type SendWay, type Sides, severalUnderWay } from "./sends.js";

export interface DrainProfile {
  messages: number;
  turns: number;
}

export interface SendsProfile {
  senders: number;
  turns: number;
  seconds: number;
}

export const quickProfile = {
  drain: { messages: 1_000, turns: 5 },
  sends: { senders: 64, turns: 3, seconds: 3 },
};
export const fullProfile = {
  drain: { messages: 1_000, turns: 15 },
  sends: { senders: 64, turns: 9, seconds: 4 },
};

/** Milliseconds in the middle of the turns, and the middle of what they are of the poll's in the same turn. */
export interface DrainRow {
  name: string;
  millis: number;
  ofPoll: number;
}

const drainWays: Readonly<Record<string, DrainWay>> = {
  "a poll of 1,000 and one acknowledgement": "poll",
  "stream, window of 10, an ack for each": { window: 10, batches: false },
  "stream, window of 10, an ack_batch for each window": { window: 10, batches: true },
  "stream, window of 100, an ack_batch for each window": { window: 100, batches: true },
};

/** Empties queues of one device in each way, in turns. */
export async function measureDrain(
  environment: BenchEnvironment,
  { messages, turns }: DrainProfile,
  say: (line: string) => void,
): Promise<DrainRow[]> {
  const node = await startNode(environment, await environment.createDatabase("drain"));
  const [from, to] = await createLoadClients(node.port, 2);
  if (from === undefined || to === undefined) throw new Error("no devices");
  const times = Object.keys(drainWays).map((name) => ({ name, millis: [] as number[] }));
  for (let turn = 0; turn <= turns; turn++) {
    say(turn === 0 ? `queues of ${messages}, to warm up` : `turn ${turn} of ${turns}`);
    for (const { name, millis } of times) {
      await fillQueue(node.port, { from, to, messages });
      const taken = await drainQueue(node.port, { device: to, messages, way: drainWays[name] as DrainWay });
      if (turn > 0) millis.push(taken);
    }
  }
  await node.stop();
  const polls = times[0]?.millis ?? [];
  return times.map(({ name, millis }) => ({
    name,
    millis: middle(millis),
    ofPoll: middle(millis.map((taken, turn) => taken / (polls[turn] ?? Number.NaN))),
  }));
}

/** What a message costs in each way, and the middle of what that is of POST's in the same turn, server and database. */
export type SendsResult = Record<SendWay, SendCost & { ofPost: number }>;

const sendWays: readonly SendWay[] = ["post", "stream", "several"];

/** The same senders send by POST and on their streams, in turns. */
export async function measureStreamSends(
  environment: BenchEnvironment,
  { senders, turns, seconds }: SendsProfile,
  say: (line: string) => void,
): Promise<SendsResult> {
  const target = await startNode(environment, await environment.createDatabase("stream_sends"));
  const clients = await createLoadClients(target.port, 2 * senders);
  const sides: Sides = { target, senders: clients.slice(0, senders), recipients: clients.slice(senders) };
  const costs: Record<SendWay, SendCost[]> = { post: [], stream: [], several: [] };
  for (let turn = 0; turn <= turns; turn++) {
    say(turn === 0 ? "to warm up" : `turn ${turn} of ${turns}`);
    for (const way of sendWays) {
      const cost = await measureSends(sides, way, seconds);
      if (turn > 0) costs[way].push(cost);
    }
  }
  await target.stop();
  const ofPost = (of: readonly SendCost[]): number =>
    middle(of.map((cost, turn) => total(cost) / total(costs.post[turn] as SendCost)));
  const rows = sendWays.map((way) => [way, { ...middleCost(costs[way]), ofPost: ofPost(costs[way]) }]);
  return Object.fromEntries(rows) as SendsResult;
}

function total({ server, database }: SendCost): number {
  return server + database;
}

function middleCost(costs: readonly SendCost[]): SendCost {
  return [...costs].sort((a, b) => total(a) - total(b))[Math.floor(costs.length / 2)] as SendCost;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function describeDrain(rows: readonly DrainRow[]): string {
  const lines = rows.map(({ name, millis, ofPoll }) => `| ${name} | ${millis.toFixed(0)} ms | ${ofPoll.toFixed(2)} |`);
  return [
    "| 1,000 waiting messages are received and acknowledged by | time | of the poll's |",
    "|---|---|---|",
    ...lines,
  ].join("\n");
}

export function describeSends({ post, stream, several }: SendsResult): string {
  const row = (name: string, { ofPost, ...cost }: SendsResult[SendWay]): string => {
    const micros = [cost.server, cost.database, cost.driver].map((one) => one.toFixed(0)).join(" + ");
    return `| ${name} | ${cost.perSecond.toFixed(0)}/s | ${micros} µs | ${ofPost.toFixed(2)} |`;
  };
  return [
    "| single sends, as many under way in each way | rate | processor time: relay + PostgreSQL + driver | relay and PostgreSQL, of POST's |",
    "|---|---|---|---|",
    row("by POST", post),
    row("on streams, one under way on each", stream),
    row(`on streams, ${severalUnderWay} under way on each`, several),
  ].join("\n");
}
