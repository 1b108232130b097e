import { setImmediate as nextRound } from "node:timers/promises";
import { mebibyte } from "../../protocol/units.js";

/** How much is mapped at a time. Decoding or hashing this much takes a few milliseconds. */
const sliceBytes = mebibyte;

/** Maps items in order and lets other work run after every mebibyte of them. */
export async function mapInSlices<T, U>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  map: (item: T) => U,
): Promise<U[]> {
  const mapped: U[] = [];
  let bytes = 0;
  for (const item of items) {
    if (bytes >= sliceBytes) {
      await nextRound();
      bytes = 0;
    }
    mapped.push(map(item));
    bytes += bytesOf(item);
  }
  return mapped;
}
