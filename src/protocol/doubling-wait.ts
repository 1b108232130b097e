/** More doublings say nothing more, and would leave the numbers that are exact. */
const maxDoublings = 40;

/** The wait after a number of failures in a row: `first` after the first one, then twice as long each time, up to `longest`. In any unit. */
export function doublingWait(failures: number, { first, longest }: { first: number; longest: number }): number {
  return Math.min(longest, first * 2 ** Math.min(Math.max(0, failures - 1), maxDoublings));
}
