import { setImmediate as nextRound } from "node:timers/promises";
import { mebibyte } from "../../protocol/units.js";

/** How much is mapped at a time. Decoding or hashing this much takes a few milliseconds. */
const sliceBytes = mebibyte;

/** Maps items of some size each, in order, letting other work go on after every mebibyte. */
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
