import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "./context.js";
import { type BenchDevice, newText, newTextToMany } from "./load-clients.js";
import { openWire, requestText, type Wire } from "./wire.js";

/** The result of a load. Rates are messages per second, times milliseconds. */
export interface LoadResult {
  perSecond: number;
  cpuMicrosPerMessage: number;
  databaseMicrosPerMessage: number;
  /** Processor time of the process that makes the load. */
  driverMicrosPerMessage: number;
  p50: number;
  p95: number;
  p99: number;
}

export interface Load {
  target: Measured;
  senders: readonly BenchDevice[];
  recipients: readonly BenchDevice[];
  /** Messages of one request. */
  batch: number;
  /** Whether they are one message to so many recipients. */
  toMany?: boolean;
  connections: number;
  /** Warm-up that does not count: code is compiled and connections are opened during it. */
  warmUpSeconds: number;
  seconds: number;
  /** Messages per second in total; without it, the next message follows each answer. */
  rate?: number;
  /** Called with every message before it is sent. */
  onSend?: (messageId: string) => void;
  /** Called when the warm-up is over. */
  onMeasure?: () => void;
}

/** Sends for so many seconds, after a warm-up that does not count. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const wires = await Promise.all(Array.from({ length: load.connections }, () => openWire(load.target.port)));
  const state: Sending["state"] = { times: [], messages: 0, begunAt: Number.NEGATIVE_INFINITY, over: false };
  const sending = Promise.all(wires.map((wire, i) => keepSending(wire, { load, index: i, state })));
  try {
    const failed = new Promise<never>((_, fail) => void sending.catch(fail));
    const result = await Promise.race([measure(load, state), failed]);
    state.over = true;
    await sending;
    return result;
  } finally {
    state.over = true;
    for (const wire of wires) wire.close();
  }
}

async function measure(load: Load, state: Sending["state"]): Promise<LoadResult> {
  await sleep(load.warmUpSeconds * 1000);
  load.onMeasure?.();
  const cpuBefore = await spent(load.target);
  const before = performance.now();
  Object.assign(state, { times: [], messages: 0, begunAt: before });
  await sleep(load.seconds * 1000);
  const { messages, times } = state;
  const seconds = (performance.now() - before) / 1000;
  const cpuAfter = await spent(load.target);
  const perMessage = (of: keyof Spent): number => (cpuAfter[of] - cpuBefore[of]) / Math.max(1, messages);
  return {
    perSecond: messages / seconds,
    cpuMicrosPerMessage: perMessage("server"),
    databaseMicrosPerMessage: perMessage("database"),
    driverMicrosPerMessage: perMessage("driver"),
    ...quantiles(times),
  };
}

interface Spent {
  server: number;
  database: number;
  driver: number;
}

/** Processor time so far, in microseconds. */
async function spent(target: Measured): Promise<Spent> {
  const { user, system } = process.cpuUsage();
  const [server, database] = await Promise.all([target.cpuMicros(), target.databaseCpuMicros()]);
  return { server, database, driver: user + system };
}

export function quantiles(times: readonly number[]): { p50: number; p95: number; p99: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

interface Sending {
  load: Load;
  index: number;
  state: { times: number[]; messages: number; begunAt: number; over: boolean };
}

async function keepSending(wire: Wire, { load, index, state }: Sending): Promise<void> {
  const { senders, recipients, batch, rate } = load;
  const pause = rate === undefined ? 0 : (1000 * load.connections * batch) / rate;
  const shift = (pause * index) / load.connections;
  let due = performance.now() + shift;
  for (let turn = index; !state.over; turn += load.connections) {
    // Sends that were late during the warm-up are not made up for during the measurement.
    due = Math.max(due, state.begunAt + shift);
    if (pause > 0) await sleep(Math.max(0, due - performance.now()));
    due += pause;
    const to = Array.from(
      { length: batch },
      (_, i) => recipients[(turn * batch + i) % recipients.length] as BenchDevice,
    );
    const request = requestOf(load, { to, token: senders[turn % senders.length]?.token ?? "" });
    const asked = performance.now();
    const answer = await wire.ask(request);
    if (answer.status !== 202) throw new Error(`a message was refused: ${answer.status} ${answer.body}`);
    state.times.push(performance.now() - asked);
    state.messages += batch === 1 ? 1 : acceptedIn(answer.body);
  }
}

function requestOf({ toMany, onSend }: Load, { to, token }: { to: readonly BenchDevice[]; token: string }): string {
  if (toMany) return requestText("POST", "/v1/messages/multi", { token, json: newTextToMany(to) });
  const texts = to.map(newText);
  for (const { id } of texts) onSend?.(id);
  const json = texts.map(({ text }) => text).join(",");
  return to.length === 1
    ? requestText("POST", "/v1/messages", { token, json })
    : requestText("POST", "/v1/messages/batch", { token, json: `{"messages":[${json}]}` });
}

function acceptedIn(body: string): number {
  return (JSON.parse(body) as { accepted_count: number }).accepted_count;
}
