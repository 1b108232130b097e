/** Splits items into parts of at most so many bytes, in order. A single item may be larger than a part should be. */
export function splitByBytes<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const length = bytesOf(item);
    if (bytes + length > most) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(item);
    bytes += length;
  }
  return parts;
}
