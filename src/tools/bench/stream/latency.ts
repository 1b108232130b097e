import { setTimeout as sleep } from "node:timers/promises";
import { createSystemClock } from "../../../platform/cluster/clock.js";
import { type MessageStep, messageSteps, monotonicMillis } from "../../../platform/message-steps.js";
import type { BenchEnvironment } from "../context.js";
import { quantiles } from "../load.js";
import { type BenchDevice, createLoadClients } from "../load-clients.js";
import { startNode } from "../measure.js";
import { type Prepared, preparedRequest } from "../prepared.js";
import { meterOf } from "../processor.js";
import { openRawStream, type RawStream } from "../raw-stream.js";
import { openRequestSocket, type RequestSocket } from "../request-socket.js";
import { acknowledgementOf, pushedId } from "../streams.js";
import type { Sides } from "./sends.js";

export interface LatencyProfile {
  /** Messages a second, of all senders together. */
  rate: number;
  senders: number;
  turns: number;
  seconds: number;
}

/** Of one turn: milliseconds from a request to the stream, and microseconds of processor time a message. */
export interface LatencyTurn {
  perSecond: number;
  p50: number;
  p99: number;
  greatest: number;
  server: number;
  database: number;
  driver: number;
}

/** Milliseconds that a message took to each step from the one before, and the time of day when it was sent. */
export type Way = Partial<Record<MessageStep | "received", number>> & { whole: number; sentAt: string };

export interface LatencyResult {
  rate: number;
  turns: LatencyTurn[];
  /** The steps of the slowest messages of all turns. */
  slowest: Way[];
}

const clock = createSystemClock();
const slowestShown = 10;
const letInMillis = 500;

interface Sent {
  at: number;
  receivedAt: number;
}

/**
 * Sends so many messages a second, whatever the answers, to devices whose streams are open and that acknowledge each
 * message; and traces them through the relay.
 */
export async function measureLatency(
  environment: BenchEnvironment,
  profile: LatencyProfile,
  say: (line: string) => void,
): Promise<LatencyResult> {
  const target = await startNode(environment, await environment.createDatabase("latency"));
  const clients = await createLoadClients(target.port, 2 * profile.senders);
  const sides: Sides = {
    target,
    senders: clients.slice(profile.senders),
    recipients: clients.slice(0, profile.senders),
  };
  const messages = new Map<string, Sent>();
  const streams = await openRecipients(sides, messages);
  const senders = await openSenders(sides);
  await target.trace();
  const turns: LatencyTurn[] = [];
  const all: { id: string; sent: Sent }[] = [];
  for (let turn = 0; turn <= profile.turns; turn++) {
    say(turn === 0 ? "to warm up" : `turn ${turn} of ${profile.turns}`);
    messages.clear();
    const measured = await measureTurn({ sides, senders, messages }, profile);
    if (turn === 0) continue;
    turns.push(measured);
    for (const [id, sent] of messages) if (sent.receivedAt > 0) all.push({ id, sent });
  }
  all.sort((a, b) => timeOf(b.sent) - timeOf(a.sent));
  const slowest = all.slice(0, slowestShown);
  const steps = await target.stepsOf(slowest.map(({ id }) => id));
  for (const { socket } of senders) socket.close();
  for (const stream of streams) stream.close();
  await target.stop();
  return { rate: profile.rate, turns, slowest: slowest.map(({ sent }, i) => wayOf(sent, steps[i] ?? {})) };
}

interface Sender {
  socket: RequestSocket;
  prepared: Prepared;
  isFree: boolean;
}

async function measureTurn(
  { sides, senders, messages }: { sides: Sides; senders: readonly Sender[]; messages: Map<string, Sent> },
  { rate, seconds }: LatencyProfile,
): Promise<LatencyTurn> {
  const meter = await meterOf(sides.target);
  const begun = performance.now();
  let turn = 0;
  for (let due = 0; performance.now() - begun < seconds * 1000; ) {
    for (; due <= ((performance.now() - begun) * rate) / 1000; due++) {
      const sender = senders.find(({ isFree }) => isFree);
      if (sender === undefined) break;
      sender.isFree = false;
      const recipient = sides.recipients[turn++ % sides.recipients.length] as BenchDevice;
      sender.prepared.renew(() => recipient);
      messages.set(sender.prepared.ids[0] as string, { at: monotonicMillis(), receivedAt: 0 });
      sender.socket.send(sender.prepared.bytes);
    }
    await sleep(1);
  }
  await sleep(letInMillis);
  const times = [...messages.values()].filter(({ receivedAt }) => receivedAt > 0).map(timeOf);
  const { p50, p99 } = quantiles(times);
  return {
    perSecond: times.length / seconds,
    ...{ p50, p99, greatest: Math.max(0, ...times) },
    ...(await meter.perMessage(times.length)),
  };
}

function timeOf({ at, receivedAt }: Sent): number {
  return receivedAt - at;
}

function wayOf({ at, receivedAt }: Sent, steps: Partial<Record<MessageStep, number>>): Way {
  const sentAt = new Date(clock.nowMillis() - monotonicMillis() + at).toISOString().slice(11, 23);
  const way: Way = { whole: receivedAt - at, sentAt };
  let last = at;
  for (const step of messageSteps) {
    const passedAt = steps[step];
    if (passedAt === undefined) continue;
    way[step] = passedAt - last;
    last = passedAt;
  }
  return { ...way, received: receivedAt - last };
}

function openRecipients(sides: Sides, messages: ReadonlyMap<string, Sent>): Promise<RawStream[]> {
  const receive = (payload: Buffer, stream: RawStream): void => {
    const id = pushedId(payload);
    if (id === undefined) return;
    const sent = messages.get(id);
    if (sent !== undefined) sent.receivedAt = monotonicMillis();
    stream.send(acknowledgementOf(id));
  };
  const { port } = sides.target;
  return Promise.all(sides.recipients.map(({ token }) => openRawStream({ port }, { access_token: token }, receive)));
}

function openSenders({ target, senders, recipients }: Sides): Promise<Sender[]> {
  const failed = (problem: Error): never => {
    throw problem;
  };
  return Promise.all(
    senders.map(async (device) => {
      const answered = (): void => {
        sender.isFree = true;
      };
      const socket = await openRequestSocket(target.port, { answered, failed });
      const prepared = preparedRequest(device, recipients[0] as BenchDevice);
      const sender: Sender = { socket, prepared, isFree: true };
      return sender;
    }),
  );
}

export function describeLatency({ rate, turns, slowest }: LatencyResult): string {
  const turnRow = (turn: LatencyTurn): string => {
    const micros = [turn.server, turn.database, turn.driver].map((one) => one.toFixed(0)).join(" + ");
    const times = [turn.p50, turn.p99, turn.greatest].map(millis).join(" | ");
    return `| ${turn.perSecond.toFixed(0)}/s | ${times} | ${micros} µs |`;
  };
  const names = [...messageSteps, "received"] as const;
  const wayRow = (way: Way): string =>
    `| ${way.sentAt} | ${millis(way.whole)} | ${names.map((name) => (way[name] === undefined ? "" : millis(way[name]))).join(" | ")} |`;
  return [
    `${rate} messages a second are sent, pushed and acknowledged; a row for each turn.`,
    "",
    "| rate | p50 | p99 | greatest | processor time a message: relay + PostgreSQL + driver |",
    "|---|---|---|---|---|",
    ...turns.map(turnRow),
    "",
    `The slowest ${slowest.length}, and the time to each step from the one before:`,
    "",
    `| sent at, UTC | whole | ${names.join(" | ")} |`,
    `|${"---|".repeat(names.length + 2)}`,
    ...slowest.map(wayRow),
  ].join("\n");
}

function millis(value: number): string {
  return `${value.toFixed(1)} ms`;
}
