import fc from "fast-check";
import { examplesOf, fromClient, fromServer, schemaOf } from "../../support/contract-frames.js";
import { fitting, unfitting } from "../../support/schema-arbitrary.js";

/** Something that is not a frame of a client, as it goes over the wire. */
interface Junk {
  data: string | Buffer;
  binary: boolean;
}

/** One step of a run. Numbers pick among the streams and messages that exist by then; `device` is one of a few. */
export type Step =
  | { do: "open"; device: number; node: number; authenticate: boolean }
  | { do: "authenticate"; stream: number; device: number }
  | { do: "frame"; stream: number; frame: unknown }
  | { do: "break"; stream: number; junk: Junk }
  | { do: "acknowledge"; stream: number; picks: number[]; batch: boolean }
  | { do: "acknowledgeByHttp"; device: number; pick: number }
  | { do: "send"; device: number; node: number; bytes: number; await: boolean }
  | { do: "poll"; device: number; node: number }
  | { do: "stopReading" | "readOn" | "leave" | "vanish"; stream: number }
  | { do: "rest"; millis: number }
  | { do: "passTime"; seconds: number };

export const devices = 3;
const nodes = 2;

const device = fc.nat(devices - 1);
const node = fc.nat(nodes - 1);
const stream = fc.nat(20);
const pick = fc.nat(40);
/** The largest size fills the buffer of a server whose client does not read. */
const sizes = fc.constantFrom(1, 64, 64, 4_000, 300_000);

/** Frames of the client in every form of the contract, with ids that the relay does not know. */
const wellFormed = fc.oneof(...fromClient.map((name) => fitting(schemaOf(name))));

/** Data outside the contract: malformed frames, frames of the server, and data that is no frame at all. */
const malformed: fc.Arbitrary<Junk> = fc.oneof(
  fc.oneof(...fromClient.map((name) => unfitting(schemaOf(name)))).map((frame) => text(JSON.stringify(frame))),
  fc.oneof(...fromServer.map((name) => fitting(schemaOf(name)))).map((frame) => text(JSON.stringify(frame))),
  fc
    .tuple(fc.constantFrom(...fromClient.flatMap(examplesOf)), fc.nat(60))
    .map(([frame, length]) => text(JSON.stringify(frame).slice(0, -1).slice(0, length))),
  fc.string({ unit: "binary", maxLength: 80 }).map((content) => text(`${content}?`)),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => ({ data: Buffer.from(bytes), binary: true })),
  fc.nat(20_000).map((depth) => text(`{"type":"ping","timestamp":${"[".repeat(depth + 1)}`)),
);

/** Data that the WebSocket protocol or the limit of 64 KiB does not allow; it ends the stream. */
const intolerable: fc.Arbitrary<Junk> = fc.constantFrom(text("x".repeat(64 * 1024 + 1)), {
  data: Buffer.from([0xc3, 0x28]),
  binary: false,
});

function text(data: string): Junk {
  return { data, binary: false };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("open"), device, node, authenticate: often(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("authenticate"), stream, device }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("frame"), stream, frame: wellFormed }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("break"), stream, junk: malformed }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("break"), stream, junk: intolerable }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("acknowledge"),
      stream,
      picks: fc.array(pick, { minLength: 1, maxLength: 6 }),
      batch: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("acknowledgeByHttp"), device, pick }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("send"), device, node, bytes: sizes, await: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("poll"), device, node }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stopReading"), stream }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("readOn"), stream }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave"), stream }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("vanish"), stream }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("rest"), millis: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("passTime"), seconds: fc.integer({ min: 1, max: 70 }) }) },
) as fc.Arbitrary<Step>;

function often(times: number): fc.Arbitrary<boolean> {
  return fc.nat(times).map((drawn) => drawn > 0);
}

/** The steps of a run. They begin with a stream and a message, so that every run has something to check. */
export const course: fc.Arbitrary<Step[]> = fc
  .array(step, { minLength: 1, maxLength: 40, size: "max" })
  .map((steps) => [
    { do: "open", device: 0, node: 0, authenticate: true },
    { do: "send", device: 0, node: 1, bytes: 64, await: true },
    ...steps,
  ]);
