import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Measured } from "../context.js";
import type { BenchDevice } from "../load-clients.js";
import { openRawStream } from "../raw-stream.js";
import { type PreparedMessage, preparedFrame, preparedRequest } from "./prepared.js";

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
  const [before, acceptedBefore, begun] = [await spent(sides.target), sending.accepted, performance.now()];
  await sleep(seconds * 1000);
  const [after, accepted] = [await spent(sides.target), sending.accepted - acceptedBefore];
  const perMessage = (of: keyof typeof after): number => (after[of] - before[of]) / Math.max(1, accepted);
  const perSecond = (1000 * accepted) / (performance.now() - begun);
  sending.over = true;
  await sleep(letInMillis);
  for (const sender of senders) sender.close();
  return { perSecond, server: perMessage("server"), database: perMessage("database"), driver: perMessage("driver") };
}

/** Processor time so far, in microseconds. */
export async function spent(target: Measured) {
  const [server, database] = await Promise.all([target.cpuMicros(), target.databaseCpuMicros()]);
  const { user, system } = process.cpuUsage();
  return { server, database, driver: user + system };
}

/** Each sender goes through the recipients in turn. */
function turns({ recipients }: Sides, index: number): (prepared: PreparedMessage) => Buffer {
  let turn = index;
  return (prepared) => {
    prepared.renew(recipients[turn++ % recipients.length] as BenchDevice);
    return prepared.bytes;
  };
}

const statusAt = 9;
const closingBrace = 0x7d;

/** One request is under way at a time, so an answer ends where its body does. */
function openPosting(sides: Sides, index: number, sending: Sending): Promise<Sender> {
  const socket = connect(sides.target.port, "127.0.0.1");
  socket.setNoDelay(true);
  const next = turns(sides, index);
  const prepared = preparedRequest(sides.senders[index] as BenchDevice, sides.recipients[0] as BenchDevice);
  const begin = (): void => void socket.write(next(prepared));
  socket.on("data", (chunk: Buffer) => {
    if (chunk.at(-1) !== closingBrace) return;
    if (chunk.toString("latin1", statusAt, statusAt + 3) !== "202") throw new Error(chunk.toString());
    sending.accepted++;
    if (!sending.over) begin();
  });
  return new Promise((settle, fail) => {
    socket.once("error", fail);
    socket.once("connect", () => settle({ begin, close: () => socket.destroy() }));
  });
}

/** Messages take turns in their places: a result has come for the oldest, or for one like it. */
function openStreaming(underWay: number) {
  return async (sides: Sides, index: number, sending: Sending): Promise<Sender> => {
    const next = turns(sides, index * underWay);
    const places = Array.from({ length: underWay + 1 }, () => preparedFrame(sides.recipients[0] as BenchDevice));
    let place = 0;
    const send = (): void => stream.send(next(places[place++ % places.length] as PreparedMessage));
    const { token } = sides.senders[index] as BenchDevice;
    const stream = await openRawStream(sides.target.port, { access_token: token }, (payload) => {
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
