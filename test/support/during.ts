import { expect } from "vitest";
import type { Clock } from "../../src/node/clock.js";

/** The result of an action, and the seconds in which it began and ended by a relay's clock, however long it took. */
interface Timed<T> {
  result: T;
  began: number;
  ended: number;
}

export async function timed<T>(clock: Pick<Clock, "nowSeconds">, act: () => Promise<T>): Promise<Timed<T>> {
  const began = clock.nowSeconds();
  const result = await act();
  return { result, began, ended: clock.nowSeconds() };
}

/** Expects a time in Unix seconds to be within that span, or this many seconds after it. */
export function expectDuring(time: unknown, { began, ended }: Omit<Timed<unknown>, "result">, later = 0): void {
  expect(time).toBeGreaterThanOrEqual(began + later);
  expect(time).toBeLessThanOrEqual(ended + later);
}
