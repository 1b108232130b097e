import { daySeconds, hourSeconds } from "../protocol/units.js";

/**
 * Counts are kept in spans of five minutes and of an hour, for a month, and in spans of a day, which are kept forever
 * and add up to totals.
 */
export const fineSeconds = 300;
export const resolutions = [fineSeconds, hourSeconds, daySeconds] as const;
export const keptSeconds = 32 * daySeconds;

/** Spans of one resolution that begin in [since, until). */
export interface Range {
  resolution: number;
  since: number;
  until: number;
}

/** The first second of the span that contains a time. */
export function spanStart(seconds: number, resolution: number): number {
  return Math.floor(seconds / resolution) * resolution;
}

/**
 * The fewest spans that cover the time from `since` until before `until`, both rounded outwards to five minutes, with
 * no span longer than `longest`: days in the middle, hours beside them, five minutes at the ends.
 */
export function cover(time: { since: number; until: number }, longest: number = daySeconds): Range[] {
  const since = spanStart(time.since, fineSeconds);
  const until = spanStart(time.until + fineSeconds - 1, fineSeconds);
  return coverBy(
    { since, until },
    resolutions.filter((resolution) => resolution <= longest),
  );
}

function coverBy({ since, until }: { since: number; until: number }, lengths: readonly number[]): Range[] {
  const [resolution, ...longer] = lengths;
  const next = longer[0];
  if (resolution === undefined || since >= until) return [];
  if (next === undefined) return [{ resolution, since, until }];
  const middle = { since: spanStart(since + next - 1, next), until: spanStart(until, next) };
  if (middle.since >= middle.until) return [{ resolution, since, until }];
  const ends = [
    { resolution, since, until: middle.since },
    { resolution, since: middle.until, until },
  ];
  return [...ends.filter((end) => end.since < end.until), ...coverBy(middle, longer)];
}
