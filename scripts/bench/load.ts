import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "./environment.js";
import type { BenchDevice } from "./load-clients.js";
import { type Prepared, preparedBatch, preparedRequest, preparedToMany } from "./prepared.js";
import { numberAfter, openRequestSocket, type RequestSocket, statusOf } from "./request-socket.js";

/**
 * The result of a load: messages per second, milliseconds of each request, microseconds of processor time per message.
 */
export interface LoadResult extends Quantiles, Spent {
  perSecond: number;
}

/** Microseconds of processor time: of a server, of its database, and of the driver, which is this process. */
export interface Spent {
  server: number;
  database: number;
  driver: number;
}

export interface Quantiles {
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
  /** Whether they are one message to that many recipients. */
  toMany?: boolean;
  /** Before base64; 1,024 unless given. */
  ciphertextBytes?: number;
  connections: number;
  /** Warm-up that does not count: code is compiled and connections are opened during it. */
  warmUpSeconds: number;
  seconds: number;
  /** Messages per second in total; without it, the next message follows each answer. */
  rate?: number;
  /** Called with every message before it is sent. */
  onSend?: (messageId: string) => void;
  /** Called when the warm-up has ended. */
  onMeasure?: () => void;
}

/** What has been answered since the measurement began. */
interface Progress {
  /** Milliseconds of each request. */
  times: number[];
  messages: number;
  begunAt: number;
  /** Senders stop at their next answer. */
  over: boolean;
}

/** One connection that sends request after request. */
interface Sender {
  begin(): void;
  /** Resolves once it has ended and no request is in progress. */
  ended: Promise<void>;
  close(): void;
}

/** What a sender reports its results to. */
interface Context {
  index: number;
  progress: Progress;
  fail(problem: Error): void;
}

/** Sends for this many seconds, after a warm-up that does not count. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const progress: Progress = { times: [], messages: 0, begunAt: Number.NEGATIVE_INFINITY, over: false };
  let fail: (problem: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const opening = Array.from({ length: load.connections }, (_, index) => openSender(load, { index, progress, fail }));
  const senders = await Promise.all(opening);
  try {
    for (const sender of senders) sender.begin();
    const result = await Promise.race([measure(load, progress), failed]);
    progress.over = true;
    await Promise.race([Promise.all(senders.map(({ ended }) => ended)), failed]);
    return result;
  } finally {
    progress.over = true;
    for (const sender of senders) sender.close();
  }
}

async function measure(load: Load, progress: Progress): Promise<LoadResult> {
  await sleep(load.warmUpSeconds * 1000);
  load.onMeasure?.();
  const spent = await meterOf(load.target);
  const before = performance.now();
  Object.assign(progress, { times: [], messages: 0, begunAt: before });
  await sleep(load.seconds * 1000);
  const { messages, times } = progress;
  const seconds = (performance.now() - before) / 1000;
  return { perSecond: messages / seconds, ...(await spent(messages)), ...quantiles(times) };
}

/** Measures processor time from now on, and divides it by a number of messages. */
export async function meterOf(...targets: readonly Measured[]): Promise<(messages: number) => Promise<Spent>> {
  const look = async (): Promise<Spent> => {
    const { user, system } = process.cpuUsage();
    const servers = await Promise.all(targets.map((target) => target.cpuMicros()));
    const database = (await targets[0]?.databaseCpuMicros()) ?? 0;
    return { server: servers.reduce((sum, one) => sum + one, 0), database, driver: user + system };
  };
  const before = await look();
  return async (messages) => {
    const after = await look();
    const per = (of: keyof Spent): number => (after[of] - before[of]) / Math.max(1, messages);
    return { server: per("server"), database: per("database"), driver: per("driver") };
  };
}

export function quantiles(times: readonly number[]): Quantiles {
  const sorted = Float64Array.from(times).sort();
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

const accepted = Buffer.from('"accepted_count":');

async function openSender(load: Load, { index, progress, fail }: Context): Promise<Sender> {
  const { senders, recipients, batch, connections, onSend } = load;
  const pacing = pacingOf(load, index);
  const prepared = preparedFor(load);
  let turn = index;
  let askedAt = 0;
  let end = (): void => undefined;
  const ended = new Promise<void>((settle) => {
    end = settle;
  });
  const send = (): void => {
    if (progress.over) {
      end();
      return;
    }
    prepared.from(senders[turn % senders.length] as BenchDevice);
    prepared.renew((i) => recipients[(turn * batch + i) % recipients.length] as BenchDevice);
    turn += connections;
    if (onSend !== undefined) for (const id of prepared.ids) onSend(id);
    askedAt = performance.now();
    socket.send(prepared.bytes);
  };
  const next = (): void => {
    const millis = pacing.millisToNext(progress);
    if (progress.over) end();
    else if (millis <= 0) send();
    else setTimeout(send, millis);
  };
  const answered = (answer: Buffer): void => {
    if (statusOf(answer) !== 202) {
      fail(new Error(`a message was refused: ${answer.toString()}`));
      return;
    }
    progress.times.push(performance.now() - askedAt);
    progress.messages += batch === 1 ? 1 : (numberAfter(answer, accepted) ?? 0);
    next();
  };
  const socket: RequestSocket = await openRequestSocket({ port: load.target.port }, { answered, failed: fail });
  return { begin: next, ended, close: () => socket.close() };
}

function preparedFor({ senders, recipients, batch, toMany, ciphertextBytes }: Load): Prepared {
  const [sender] = senders;
  const to = Array.from({ length: batch }, (_, i) => recipients[i % recipients.length] as BenchDevice);
  if (sender === undefined || to[0] === undefined) throw new Error("there are no devices");
  if (toMany) return preparedToMany(sender, to);
  return batch === 1 ? preparedRequest(sender, to[0], ciphertextBytes) : preparedBatch(sender, to);
}

/** When a connection sends: at once after each answer, or at its times if there is a rate. */
function pacingOf({ rate, connections, batch }: Load, index: number) {
  if (rate === undefined) return { millisToNext: () => 0 };
  const pause = (1000 * connections * batch) / rate;
  const shift = (pause * index) / connections;
  let due = performance.now() + shift;
  return {
    millisToNext({ begunAt }: Progress): number {
      // Sends that were late during the warm-up are not made up for during the measurement.
      due = Math.max(due, begunAt + shift);
      const millis = due - performance.now();
      due += pause;
      return millis;
    },
  };
}
