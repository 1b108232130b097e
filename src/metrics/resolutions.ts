/** Spans of five minutes answer for a month; spans of a day are kept for good and add up to totals. */
export const fineSeconds = 300;
export const daySeconds = 86_400;
export const resolutions = [fineSeconds, daySeconds] as const;
export const fineKeptSeconds = 32 * daySeconds;

/** The first second of the span that a time falls into. */
export function spanStart(seconds: number, resolution: number): number {
  return Math.floor(seconds / resolution) * resolution;
}
