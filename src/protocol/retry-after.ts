/** No wait that a server asks for is longer, in seconds: timers hold 2^31 - 1 milliseconds, 24.8 days. */
const longestSeconds = 2_000_000;

const decimals = /^\d+$/;
const months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
const time = "\\d\\d:\\d\\d:\\d\\d";
/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). */
const dates = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (?:${months}) \\d{4} ${time} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d\\d-(?:${months})-\\d\\d ${time} GMT$`),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:${months}) (?:\\d| )\\d ${time} \\d{4}$`),
];

/**
 * Seconds until the time in a Retry-After header (RFC 9110, section 10.2.3): a decimal number or a date, and at most 23 days.
 * Null for anything else, such as `1.5`, `-1` or `1e3`.
 */
export function readRetryAfter(text: string | null | undefined, nowMillis: number): number | null {
  if (text == null) return null;
  if (decimals.test(text)) return Math.min(longestSeconds, Number(text));
  const date = dates.some((form) => form.test(text))
    ? Date.parse(text.endsWith("GMT") ? text : `${text} GMT`)
    : Number.NaN;
  return Number.isNaN(date) ? null : Math.min(longestSeconds, Math.max(0, Math.ceil((date - nowMillis) / 1000)));
}
