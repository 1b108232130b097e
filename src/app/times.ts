const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
/** Nothing for what is no time: relays and other people have said it. */
const formatted = (format: Intl.DateTimeFormat, millis: number): string =>
  Number.isNaN(new Date(millis).getTime()) ? "" : format.format(millis);
export const timeOf = (millis: number): string => formatted(time, millis);
export const dayOf = (millis: number): string => formatted(day, millis);
/** A time of today, or the day with it. */
export const momentOf = (millis: number, nowMillis: number): string =>
  dayOf(millis) === dayOf(nowMillis) ? timeOf(millis) : `${dayOf(millis)}, ${timeOf(millis)}`;
