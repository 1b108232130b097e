import { randomBytes } from "node:crypto";
import { mebibyte } from "../../protocol/units.js";
import { driveInTurns, middleTurn, type TurnProfile } from "./alternate.js";
import type { BenchEnvironment, Measured } from "./context.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import { type BenchDevice, createLoadClients, newBody } from "./load-clients.js";
import { startNode } from "./measure.js";
import { openWire, requestText } from "./wire.js";

export const quickProfile: TurnProfile = { warmUpSeconds: 4, turns: 3, turnSeconds: 2 };
export const fullProfile: TurnProfile = { warmUpSeconds: 10, turns: 9, turnSeconds: 3 };

export interface ToManyResult {
  /** Microseconds of the whole machine, and of processors, for a message in a batch and a recipient more. */
  batch: Cost;
  recipientMore: Cost;
  /** What a recipient more costs, as a part of what a message in a batch costs: the turn in the middle. */
  part: { time: number; processor: number };
  large: LargeResult;
  /** The turns in the middle. */
  loads: { batch: LoadResult; few: LoadResult; many: LoadResult };
}

interface Cost {
  time: number;
  processor: number;
}

/** The most memory of a relay, in bytes, and how long the large message to many took, in milliseconds. */
export interface LargeResult {
  bytes: number;
  recipients: number;
  peakToOne: number;
  peakToMany: number;
  millis: number;
}

const connections = 8;
const batchSize = 100;
const [few, many] = [10, 100];
const [largeBytes, largeRecipients, largeRepeats] = [10 * mebibyte, 50, 2];

/** A message to few and to many recipients beside batches, in turns; then a large message to one and to many. */
export async function measureToMany(
  environment: BenchEnvironment,
  profile: TurnProfile,
  say: (line: string) => void,
): Promise<ToManyResult> {
  const node = await startNode(environment, await environment.createDatabase("to_many"));
  const clients = await createLoadClients(node.port, batchSize + connections);
  const sides = { target: node, senders: clients.slice(batchSize), recipients: clients.slice(0, batchSize) };
  const drive = (load: Pick<Load, "batch" | "toMany">) => (time: Pick<Load, "warmUpSeconds" | "seconds">) =>
    runLoad({ ...sides, connections, ...load, ...time });
  say("batches of 100, messages to 10 and to 100 recipients, in turns");
  const driven = await driveInTurns(
    {
      batch: drive({ batch: batchSize }),
      few: drive({ batch: few, toMany: true }),
      many: drive({ batch: many, toMany: true }),
    },
    profile,
  );
  await node.stop();
  say(`messages of ${largeBytes} bytes to one and to ${largeRecipients} recipients`);
  const large = await measureLarge(environment);
  const turns = driven.batch.map((batch, turn) => {
    const [ofFew, ofMany] = [costOf(driven.few[turn]), costOf(driven.many[turn])];
    const more = (of: keyof Cost): number => (many * ofMany[of] - few * ofFew[of]) / (many - few);
    return { batch: costOf(batch), recipientMore: { time: more("time"), processor: more("processor") } };
  });
  const middle = (of: (turn: (typeof turns)[number]) => number): number =>
    turns.map(of).sort((a, b) => a - b)[Math.floor(turns.length / 2)] ?? Number.NaN;
  return {
    batch: { time: middle((turn) => turn.batch.time), processor: middle((turn) => turn.batch.processor) },
    recipientMore: {
      time: middle((turn) => turn.recipientMore.time),
      processor: middle((turn) => turn.recipientMore.processor),
    },
    part: {
      time: middle((turn) => turn.recipientMore.time / turn.batch.time),
      processor: middle((turn) => turn.recipientMore.processor / turn.batch.processor),
    },
    large,
    loads: { batch: middleTurn(driven.batch), few: middleTurn(driven.few), many: middleTurn(driven.many) },
  };
}

/** Of one message or recipient, in microseconds. */
function costOf(result: LoadResult | undefined): Cost {
  if (result === undefined) return { time: Number.NaN, processor: Number.NaN };
  const { perSecond, cpuMicrosPerMessage, databaseMicrosPerMessage } = result;
  return { time: 1_000_000 / perSecond, processor: cpuMicrosPerMessage + databaseMicrosPerMessage };
}

async function measureLarge(environment: BenchEnvironment): Promise<LargeResult> {
  const node = await startNode(environment, await environment.createDatabase("large"));
  const [sender, ...recipients] = await createLoadClients(node.port, 1 + largeRecipients);
  const from = sender as BenchDevice;
  await sendLarge(node, { from, to: recipients.slice(0, 1) });
  const { peakRss: peakToOne } = await node.memory();
  const millis = await sendLarge(node, { from, to: recipients });
  const { peakRss: peakToMany } = await node.memory();
  await node.stop();
  return { bytes: largeBytes, recipients: largeRecipients, peakToOne, peakToMany, millis };
}

/** Sends the large message several times, one after the other; gives the milliseconds of one. */
async function sendLarge(
  { port }: Measured,
  { from, to }: { from: BenchDevice; to: readonly BenchDevice[] },
): Promise<number> {
  const wire = await openWire(port);
  const mls_ciphertext = randomBytes(largeBytes).toString("base64");
  const began = performance.now();
  for (let i = 0; i < largeRepeats; i++) {
    const { recipient_address: _, ...content } = newBody(from);
    const body = { ...content, mls_ciphertext, recipients: to.map(({ address }) => address) };
    const answer = await wire.ask(requestText("POST", "/v1/messages/multi", { token: from.token, body }));
    if (answer.status !== 202) throw new Error(`a message was refused: ${answer.status} ${answer.body}`);
  }
  wire.close();
  return (performance.now() - began) / largeRepeats;
}

/** The result as a Markdown table. */
export function describeToMany({ batch, recipientMore, part, large }: ToManyResult): string {
  const growth = (large.peakToMany - large.peakToOne) / large.bytes;
  return [
    "| measure | time | processors |",
    "|---|---|---|",
    `| a message in a batch of 100 | ${micros(batch.time)} | ${micros(batch.processor)} |`,
    `| a recipient more of a message to many | ${micros(recipientMore.time)} | ${micros(recipientMore.processor)} |`,
    `| the second as a part of the first | ${part.time.toFixed(2)} | ${part.processor.toFixed(2)} |`,
    "",
    `${large.bytes / mebibyte} MiB to one recipient: the relay's memory peaks at ${mebibytes(large.peakToOne)}; to`,
    `${large.recipients}: ${mebibytes(large.peakToMany)}, ${growth.toFixed(1)} times the message more; ${Math.round(large.millis)} ms each.`,
  ].join("\n");
}

function micros(value: number): string {
  return `${value.toFixed(0)} µs`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}
