/** Lengths of time and sizes in the units that settings, limits and rows use: seconds, milliseconds and bytes. */
export const minuteSeconds = 60;
export const hourSeconds = 60 * minuteSeconds;
export const daySeconds = 24 * hourSeconds;
export const weekSeconds = 7 * daySeconds;

export const minuteMillis = 1000 * minuteSeconds;
export const hourMillis = 1000 * hourSeconds;
export const dayMillis = 1000 * daySeconds;

export const kibibyte = 1024;
export const mebibyte = 1024 * kibibyte;
export const gibibyte = 1024 * mebibyte;

/** The last millisecond of a second. */
export function lastMillisOf(seconds: number): number {
  return 1_000 * seconds + 999;
}
