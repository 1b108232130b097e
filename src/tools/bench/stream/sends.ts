import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "../context.js";
import type { BenchDevice } from "../load-clients.js";
import { type Prepared, preparedFrame, preparedRequest } from "../prepared.js";
import { meterOf } from "../processor.js";
import { openRawStream } from "../raw-stream.js";
import { openRequestSocket, statusOf } from "../request-socket.js";

/** Devices that send, each one message after the other, and those that they send to. */
export interface Sides {
  target: Measured;
  senders: readonly BenchDevice[];
  recipients: readonly BenchDevice[];
}

/** Messages that were accepted, and microseconds of processor time for each. */
export interface SendCost {
  perSecond: number;
  server: number;
  database: number;
  driver: number;
}

/** By POST, a connection for each sender; on streams of as many senders, or of fewer that have several under way each. */
export type SendWay = "post" | "stream" | "several";

/** How many a sender has under way who has several. */
export const severalUnderWay = 8;

interface Sending {
  /** Accepted messages so far. */
  accepted: number;
  over: boolean;
}

/** A sender that sends its next message when the last one is accepted. */
interface Sender {
  begin(): void;
  close(): void;
}

const letInMillis = 400;

/** Every sender sends in one way, for so long. */
export async function measureSends(sides: Sides, way: SendWay, seconds: number): Promise<SendCost> {
  const sending: Sending = { accepted: 0, over: false };
  const underWay = way === "several" ? severalUnderWay : 1;
  const open = way === "post" ? openPosting : openStreaming(underWay);
  const used = sides.senders.slice(0, sides.senders.length / underWay);
  const senders = await Promise.all(used.map((_, index) => open(sides, index, sending)));
  for (const sender of senders) sender.begin();
  await sleep(letInMillis);
  const meter = await meterOf(sides.target);
  const [acceptedBefore, begun] = [sending.accepted, performance.now()];
  await sleep(seconds * 1000);
  const accepted = sending.accepted - acceptedBefore;
  const perSecond = (1000 * accepted) / (performance.now() - begun);
  const cost = await meter.perMessage(accepted);
  sending.over = true;
  await sleep(letInMillis);
  for (const sender of senders) sender.close();
  return { perSecond, ...cost };
}

/** Each sender goes through the recipients in turn. */
function turns({ recipients }: Sides, index: number): (prepared: Prepared) => Buffer {
  let turn = index;
  return (prepared) => {
    const recipient = recipients[turn++ % recipients.length] as BenchDevice;
    prepared.renew(() => recipient);
    return prepared.bytes;
  };
}

async function openPosting(sides: Sides, index: number, sending: Sending): Promise<Sender> {
  const next = turns(sides, index);
  const prepared = preparedRequest(sides.senders[index] as BenchDevice, sides.recipients[0] as BenchDevice);
  const begin = (): void => socket.send(next(prepared));
  const failed = (problem: Error): never => {
    throw problem;
  };
  const answered = (answer: Buffer): void => {
    if (statusOf(answer) !== 202) throw new Error(answer.toString());
    sending.accepted++;
    if (!sending.over) begin();
  };
  const socket = await openRequestSocket(sides.target.port, { answered, failed });
  return { begin, close: () => socket.close() };
}

/** Messages take turns in their places: a result has come for the oldest, or for one like it. */
function openStreaming(underWay: number) {
  return async (sides: Sides, index: number, sending: Sending): Promise<Sender> => {
    const next = turns(sides, index * underWay);
    const places = Array.from({ length: underWay + 1 }, () => preparedFrame(sides.recipients[0] as BenchDevice));
    let place = 0;
    const send = (): void => stream.send(next(places[place++ % places.length] as Prepared));
    const { token } = sides.senders[index] as BenchDevice;
    const stream = await openRawStream({ port: sides.target.port }, { access_token: token }, (payload) => {
      if (!payload.includes('"send_result"')) return;
      if (payload.includes('"rejected"')) throw new Error(payload.toString());
      sending.accepted++;
      if (!sending.over) send();
    });
    return {
      begin() {
        for (let begun = 0; begun < underWay; begun++) send();
      },
      close: () => stream.close(),
    };
  };
}
