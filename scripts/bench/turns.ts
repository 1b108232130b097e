import type { LoadResult } from "./load.js";

/** How long each side is driven: the warm-up, and each of its turns. */
export interface TurnProfile {
  warmUpSeconds: number;
  turns: number;
  turnSeconds: number;
}

type Drive<Result> = (time: { warmUpSeconds: number; seconds: number }) => Promise<Result>;

/** Connections are opened again between turns. */
const turnWarmUpSeconds = 0.4;

/**
 * Drives several sides in turns, because the speed of a machine changes from one second to the next and all sides should
 * see the same conditions. Every side is warmed up first. Returns the turns of each side, in order.
 */
export async function driveInTurns<Name extends string, Result>(
  sides: Readonly<Record<Name, Drive<Result>>>,
  { warmUpSeconds, turns, turnSeconds }: TurnProfile,
): Promise<Record<Name, Result[]>> {
  const all = Object.entries<Drive<Result>>(sides).map(([name, drive]) => ({
    ...{ name, drive },
    results: [] as Result[],
  }));
  for (const { drive } of all) await drive({ warmUpSeconds, seconds: turnWarmUpSeconds });
  for (let turn = 0; turn < turns; turn++) {
    for (const { drive, results } of all) {
      results.push(await drive({ warmUpSeconds: turnWarmUpSeconds, seconds: turnSeconds }));
    }
  }
  return Object.fromEntries(all.map(({ name, results }) => [name, results])) as Record<Name, Result[]>;
}

/** The turn with the median rate. */
export function medianTurn<Result extends { perSecond: number }>(results: readonly Result[]): Result {
  return [...results].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(results.length / 2)] as Result;
}

/** The part of the floor's rate that a side reaches: the median over the turns. */
export function partOf(results: readonly LoadResult[], floor: readonly LoadResult[]): number {
  return median(results.map(({ perSecond }, turn) => perSecond / (floor[turn]?.perSecond ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
