import { daySeconds, hourSeconds } from "../../protocol/units.js";
import type { PlotData } from "../plot.js";
import { intervalSeconds, intervals, periodSeconds, periods, type SeriesQuery } from "./series.js";

/** A range of time in Unix seconds. */
interface Range {
  since: number;
  until: number;
}

type Query = Readonly<Record<string, string>>;
type Period = NonNullable<SeriesQuery["period"]>;
type Interval = NonNullable<SeriesQuery["interval"]>;

/** What plots show: the last day or so, or a range that an administrator chose. */
export interface Shown {
  /** The last time that is left when the range is. */
  period: Period;
  interval: Interval;
  range: Range | undefined;
  /** The period to ask for: the shortest one that has the whole range. */
  asked: Period;
}

/** The finest resolution of a chosen range. */
const smallestSeconds = intervalSeconds["5m"];

export function shownIn(query: Query, now: number): Shown {
  const period = periods.find((one) => one === query["period"]) ?? "24h";
  const chosen = intervals.find((one) => one === query["interval"]);
  const range = rangeIn(query);
  if (range === undefined) return { period, interval: chosen ?? "1h", range, asked: period };
  const interval = chosen ?? intervalFor(range.until - range.since);
  const asked = periods.find((one) => now - periodSeconds[one] <= range.since) ?? "30d";
  return { period, interval, range, asked };
}

/** The range that the address bar has. */
function rangeIn(query: Query): Range | undefined {
  const [since, until] = [Number(query["from"]), Number(query["until"])];
  return since > 0 && until > 0 ? { since, until } : undefined;
}

/** Some hundred values at most. */
function intervalFor(seconds: number): Interval {
  if (seconds <= 12 * hourSeconds) return "5m";
  return seconds <= 14 * daySeconds ? "1h" : "1d";
}

/** Change of the address bar for a range that was drawn; its resolution becomes finer if the range is short enough. */
export function drawn({ interval }: Shown, since: number, until: number): Record<string, string> {
  const from = Math.floor(since / smallestSeconds) * smallestSeconds;
  const to = Math.max(from + smallestSeconds, Math.ceil(until / smallestSeconds) * smallestSeconds);
  const usual = intervalFor(to - from);
  const isFiner = intervalSeconds[usual] < intervalSeconds[interval];
  return { from: String(from), until: String(to), interval: isFiner ? usual : interval };
}

/** The part of a period that lies within the range, in whole spans. */
export function cut(data: PlotData, range: Range | undefined): PlotData {
  if (range === undefined) return data;
  const { span } = data;
  const since = Math.max(data.since, Math.floor(range.since / span) * span);
  const until = Math.min(data.until, Math.ceil(range.until / span) * span);
  const points = data.points.filter(({ timestamp }) => timestamp + span > since && timestamp < until);
  return { ...data, points, since, until };
}
