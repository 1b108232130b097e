/** What is measured repeatedly. `bounds` says which of its figures count as flat. */
export type Unit = "bytes" | "files" | "connections" | "rows" | "milliseconds";

/** The values of one quantity over time. */
export interface Series {
  name: string;
  unit: Unit;
  /** The quantile that represents a quarter: 0.5 is the median. */
  quantile: number;
  bound: Bound;
  values: { atMillis: number; value: number }[];
}

/** The last quarter may be at most this many times the first one, plus this much. */
export interface Bound {
  times: number;
  plus: number;
}

const mebibyte = 2 ** 20;

/** Generous: a quantity that really grows exceeds them within hours, and one that only varies never does. */
export const bounds = {
  memory: { times: 1.5, plus: 64 * mebibyte },
  files: { times: 1.2, plus: 50 },
  connections: { times: 1.2, plus: 20 },
  deadRows: { times: 2, plus: 20_000 },
  tables: { times: 2, plus: 64 * mebibyte },
  medianLatency: { times: 2, plus: 50 },
  slowLatency: { times: 3, plus: 5_000 },
} satisfies Record<string, Bound>;

/** A quantity in the first and the last quarter of a run. */
export interface Trend {
  name: string;
  unit: Unit;
  first: number;
  last: number;
  limit: number;
  isFlat: boolean;
}

/** Undefined if a quarter has no values. */
export function trendOf(series: Series, run: { startMillis: number; endMillis: number }): Trend | undefined {
  const { name, unit, quantile, bound, values } = series;
  const quarter = (run.endMillis - run.startMillis) / 4;
  const figure = (from: number) => {
    const within = values.filter(({ atMillis }) => atMillis >= from && atMillis < from + quarter);
    return quantileOf(
      within.map(({ value }) => value),
      quantile,
    );
  };
  const [first, last] = [figure(run.startMillis), figure(run.endMillis - quarter)];
  if (first === undefined || last === undefined) return undefined;
  const limit = first * bound.times + bound.plus;
  return { name, unit, first, last, limit, isFlat: last <= limit };
}

function quantileOf(values: number[], share: number): number | undefined {
  const sorted = values.sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function describeTrend({ name, unit, first, last, limit, isFlat }: Trend): string {
  const [from, to, max] = [first, last, limit].map((value) => describeValue(value, unit));
  return `${isFlat ? "flat" : "GREW"}  ${name}: ${from} -> ${to} (at most ${max})`;
}

function describeValue(value: number, unit: Unit): string {
  if (unit === "bytes") return `${(value / mebibyte).toFixed(0)} MiB`;
  return unit === "milliseconds" ? `${value.toFixed(0)} ms` : value.toFixed(0);
}
