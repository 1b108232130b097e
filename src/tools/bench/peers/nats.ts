import { randomBytes } from "node:crypto";
import type { BenchEnvironment } from "../context.js";
import { type LoadContext, type LoadResult, type LoadSender, runSenders } from "../load.js";
import { ciphertextBytes } from "../load-clients.js";
import { type NatsConnection, openNatsConnection, publication } from "./nats-connection.js";
import { startNatsServer } from "./nats-server.js";

/** NATS JetStream as a side of a comparison. */
export interface NatsPeer {
  description: string;
  /** Publishes over so many connections; on each, the next so many follow when the last so many were answered. */
  drive(
    load: { connections: number; atOnce: number },
    time: { warmUpSeconds: number; seconds: number },
  ): Promise<LoadResult>;
  stop(): Promise<void>;
}

const stream = "MAIL";
const ackWaitNanos = 60_000_000_000;

/**
 * One stream that keeps messages in files until they are acknowledged, with a subject and a durable consumer for each
 * recipient: what comes nearest to the queues of a relay. Undefined where nats-server is not installed.
 */
export async function openNats(
  environment: Pick<BenchEnvironment, "atEnd">,
  recipients: number,
): Promise<NatsPeer | undefined> {
  const server = await startNatsServer();
  if (server === undefined) return undefined;
  environment.atEnd(() => server.stop());
  const { port, description, cpuMicros } = server;
  await createStream(port, recipients);
  const target = { port, cpuMicros, databaseCpuMicros: async () => 0 };
  return {
    description,
    drive: ({ connections, atOnce }, time) =>
      runSenders({ target, connections, ...time }, (context) => openPublisher({ port, recipients, atOnce }, context)),
    stop: () => server.stop(),
  };
}

async function createStream(port: number, recipients: number): Promise<void> {
  let fail: (problem: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const connection = await openNatsConnection({ port, connection: 0 }, { answered: () => undefined, failed: fail });
  const create = async (): Promise<void> => {
    const config = { name: stream, subjects: ["mail.*"], retention: "workqueue", storage: "file", num_replicas: 1 };
    await connection.ask(`$JS.API.STREAM.CREATE.${stream}`, config);
    for (let recipient = 0; recipient < recipients; recipient++) await createConsumer(connection, recipient);
  };
  await Promise.race([create(), failed]).finally(() => connection.close());
}

function createConsumer(connection: NatsConnection, recipient: number): Promise<void> {
  const name = `r${recipient}`;
  const config = {
    ...{ durable_name: name, filter_subject: subjectOf(recipient), ack_policy: "explicit" },
    ...{ ack_wait: ackWaitNanos, max_ack_pending: 2_000 },
  };
  const body = { stream_name: stream, config };
  return connection.ask(`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${name}`, body);
}

function subjectOf(recipient: number): string {
  return `mail.r${recipient}`;
}

const payload = randomBytes(ciphertextBytes);

async function openPublisher(
  { port, recipients, atOnce }: { port: number; recipients: number; atOnce: number },
  { index, progress, fail }: LoadContext,
): Promise<LoadSender> {
  // Each turn goes to the next recipients; the same bytes are sent again and again.
  const turns = Math.ceil(recipients / atOnce);
  const to = (turn: number): Buffer[] =>
    Array.from({ length: atOnce }, (_, i) =>
      publication(subjectOf((index + turn * atOnce + i) % recipients), index, payload),
    );
  const prepared = Array.from({ length: turns }, (_, turn) => Buffer.concat(to(turn)));
  let [turn, underWay, askedAt] = [0, 0, 0];
  let end = (): void => undefined;
  const ended = new Promise<void>((settle) => {
    end = settle;
  });
  const begin = (): void => {
    underWay = atOnce;
    askedAt = performance.now();
    connection.send(prepared[turn++ % turns] as Buffer);
  };
  const answered = (): void => {
    progress.messages++;
    underWay--;
    if (underWay > 0) return;
    progress.times.push(performance.now() - askedAt);
    if (progress.over) end();
    else begin();
  };
  const connection = await openNatsConnection({ port, connection: index }, { answered, failed: fail });
  return { begin, ended, close: () => connection.close() };
}
