const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
/** Empty for an invalid time: times come from relays and other people. */
const formatted = (format: Intl.DateTimeFormat, millis: number): string =>
  Number.isNaN(new Date(millis).getTime()) ? "" : format.format(millis);
export const timeOf = (millis: number): string => formatted(time, millis);
export const dayOf = (millis: number): string => formatted(day, millis);
/** The time, with the day unless it is today. */
export const momentOf = (millis: number, nowMillis: number): string =>
  dayOf(millis) === dayOf(nowMillis) ? timeOf(millis) : `${dayOf(millis)}, ${timeOf(millis)}`;
