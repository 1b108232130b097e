/** What may be at hand already. Awaiting it costs the same either way; asking with `chain` costs nothing where it is. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once where it is at hand, else when it comes. */
export function chain<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
