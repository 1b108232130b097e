// An epoch in which nothing is committed must not last longer than its slot stays taken.

const dayMillis = 86_400_000;

/** Parts of the relay's `memoryDays` after which a quiet epoch is renewed by an empty commit, and after which nobody commits in it. */
export const renewAfter = 1 / 4;
export const endAfter = 1 / 2;

export function isOlderThan(part: number, ageMillis: number, { memoryDays }: { memoryDays: number }): boolean {
  return ageMillis > part * memoryDays * dayMillis;
}
