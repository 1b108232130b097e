/** Seconds until the time in a Retry-After header (RFC 9110), which is a number or a date. Null if it is neither. */
export function readRetryAfter(text: string | undefined, nowMillis: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - nowMillis) / 1000));
}
