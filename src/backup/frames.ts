import { mebibyte } from "../protocol/units.js";

// A backup is a line that names its format, followed by frames: one byte for the kind, four for the length, the payload.
// Frames are small, so that both sides hold only one at a time. A backup without the last frame is truncated.

export const formatLine = Buffer.from("mls-relay-backup\n", "latin1");

const frameKinds = { header: 1, table: 2, data: 3, tableEnd: 4, end: 5 } as const;
export type FrameKind = keyof typeof frameKinds;

export interface Frame {
  kind: FrameKind;
  payload: Buffer;
}

export const maxFrameBytes = mebibyte;
const headBytes = 5;
const kindsByNumber = new Map<number, FrameKind>(
  Object.entries(frameKinds).map(([kind, number]) => [number, kind as FrameKind]),
);

export function encodeFrame(kind: FrameKind, payload: Buffer): Buffer {
  if (payload.length > maxFrameBytes) throw new RangeError(`a frame of ${payload.length} bytes is too long`);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt8(frameKinds[kind], 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Decodes the frames of a backup, each with its bytes. Throws DamagedBackup if the bytes are malformed or truncated. */
export async function* decodeFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame & { bytes: Buffer }> {
  const source = createSource(bytes);
  const first = await source.take(formatLine.length);
  if (!first.equals(formatLine)) throw new DamagedBackup("the file is not a backup of mls-relay");
  for (;;) {
    const head = await source.take(headBytes);
    const kind = kindsByNumber.get(head.readUInt8(0));
    const length = head.readUInt32BE(1);
    if (kind === undefined || length > maxFrameBytes) throw new DamagedBackup("the backup is damaged");
    const payload = await source.take(length);
    yield { kind, payload, bytes: Buffer.concat([head, payload]) };
    if (kind === "end") break;
  }
  if (!(await source.isEmpty())) throw new DamagedBackup("there are bytes after the end of the backup");
}

/** Reads an exact number of bytes from a source of chunks of any size. */
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
        if (!(await more())) throw new DamagedBackup("the backup is truncated: its end is missing");
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

/** The backup is damaged, truncated or not a backup of this program. */
export class DamagedBackup extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DamagedBackup";
  }
}
