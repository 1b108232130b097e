/** Splits items, in order, into parts of at most `limit` bytes. A larger item becomes a part alone. */
export function splitByBytes<T>(items: readonly T[], bytesOf: (item: T) => number, limit: number): T[][] {
  const parts: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const length = bytesOf(item);
    if (bytes + length > limit) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(item);
    bytes += length;
  }
  return parts;
}
