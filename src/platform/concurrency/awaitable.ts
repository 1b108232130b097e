/** A value or a promise of it. `await` costs the same for both; `chain` costs nothing for a value. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is in memory, otherwise when the promise resolves. */
export function chain<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
