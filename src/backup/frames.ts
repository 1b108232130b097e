import { mebibyte } from "../protocol/units.js";
import { DamagedBackup } from "./damaged.js";

// A backup is a line that names its format, then frames: one byte for the kind, four for the length, the payload. Frames
// are small, so that neither side ever holds more than one; the last one tells a whole backup from one that was cut off.

export const formatLine = Buffer.from("mls-relay-backup\n", "latin1");

export const frameKinds = { header: 1, table: 2, data: 3, tableEnd: 4, end: 5 } as const;
export type FrameKind = keyof typeof frameKinds;

export interface Frame {
  kind: FrameKind;
  payload: Buffer;
}

export const longestFrameBytes = mebibyte;
const headBytes = 5;
const kindsByNumber = new Map<number, FrameKind>(
  Object.entries(frameKinds).map(([kind, number]) => [number, kind as FrameKind]),
);

export function encodeFrame(kind: FrameKind, payload: Buffer): Buffer {
  if (payload.length > longestFrameBytes) throw new RangeError(`a frame of ${payload.length} bytes is too long`);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt8(frameKinds[kind], 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** The frames of a backup, each with its own bytes. Throws DamagedBackup for anything else, and for what is cut off. */
export async function* decodeFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame & { bytes: Buffer }> {
  const source = createSource(bytes);
  const first = await source.take(formatLine.length);
  if (!first.equals(formatLine)) throw new DamagedBackup("this is no backup of mls-relay");
  for (;;) {
    const head = await source.take(headBytes);
    const kind = kindsByNumber.get(head.readUInt8(0));
    const length = head.readUInt32BE(1);
    if (kind === undefined || length > longestFrameBytes) throw new DamagedBackup("the backup is damaged");
    const payload = await source.take(length);
    yield { kind, payload, bytes: Buffer.concat([head, payload]) };
    if (kind === "end") break;
  }
  if (!(await source.isEmpty())) throw new DamagedBackup("something follows the end of the backup");
}

/** Takes exactly as many bytes as are asked for, whatever pieces they come in. */
function createSource(bytes: AsyncIterable<Uint8Array>) {
  const chunks = bytes[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next();
    if (done === true) return false;
    held = held.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.concat([held, value]);
    return true;
  };
  return {
    async take(count: number): Promise<Buffer> {
      while (held.length < count) {
        if (!(await more())) throw new DamagedBackup("the backup is cut off: its end is missing");
      }
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    async isEmpty(): Promise<boolean> {
      while (held.length === 0) {
        if (!(await more())) return true;
      }
      return false;
    },
  };
}
