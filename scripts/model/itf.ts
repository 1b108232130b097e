import type { ItfState } from "./simulator.js";

// The states of runs of `spec/model/`, in values of this language. Sets are arrays, maps are records.

/** A step: the action with what was chosen for it, and the states before and behind it. */
export interface Step<S> {
  action: string;
  /** By the names that the model gives to what it chooses. */
  chosen: Readonly<Record<string, unknown>>;
  before: S;
  after: S;
}

export function readRun<S>(states: readonly ItfState[]): Step<S>[] {
  const read = states.map((state) => readValue(state)) as (S & Record<string, unknown>)[];
  return read.slice(1).flatMap((after, i) => {
    const before = read[i];
    if (before === undefined) return [];
    const picks = after["mbt::nondetPicks"] as Record<string, { value: unknown }>;
    const chosen = Object.fromEntries(Object.entries(picks).map(([name, { value }]) => [name, value]));
    return [{ action: String(after["mbt::actionTaken"]), chosen, before, after }];
  });
}

/** What was chosen under this name; "" if nothing was. */
export function textOf({ chosen }: Pick<Step<unknown>, "chosen">, name: string): string {
  const value = chosen[name];
  return typeof value === "string" ? value : "";
}

function readValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readValue);
  if (typeof value !== "object" || value === null) return value;
  const { "#bigint": integer, "#set": set, "#map": map, "#tup": tuple } = value as Record<string, unknown>;
  if (integer !== undefined) return Number(integer);
  if (set !== undefined) return readValue(set);
  if (tuple !== undefined) return readValue(tuple);
  if (map !== undefined) {
    return Object.fromEntries((map as [string, unknown][]).map(([key, one]) => [key, readValue(one)]));
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, readValue(one)]));
}
