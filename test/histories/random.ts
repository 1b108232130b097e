/** Draws numbers that depend on nothing but where it began. */
export interface Random {
  /** From 0 to 1, without 1. */
  share(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  oneOf<T>(list: readonly T[]): T;
}

/** Mulberry32. Equal seeds give equal draws. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const share = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(share() * (to - from + 1));
  return { share, between, oneOf: (list) => list[between(0, list.length - 1)] as (typeof list)[number] };
}
