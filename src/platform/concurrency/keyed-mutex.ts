import { RelayError } from "../../protocol/errors.js";

/** Lets work of one name run one at a time; names do not wait for each other. */
export interface KeyedMutex {
  /**
   * Throws OVERLOADED where too many of the name are waiting. The turn ends with the work, or where that succeeded with
   * `until`, if there is one.
   */
  take<T>(name: string, work: () => Promise<T>, until?: Promise<unknown>): Promise<T>;
}

export function createKeyedMutex({ mostWaiting }: { mostWaiting: number }): KeyedMutex {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();

  return {
    async take(name, work, until) {
      const line = lines.get(name) ?? { last: Promise.resolve(), length: 0 };
      if (line.length > mostWaiting) throw new RelayError("OVERLOADED", "too many requests of this device are waiting");
      lines.set(name, line);
      line.length += 1;
      const turn = line.last.then(work);
      line.last = turn
        .then(() => until)
        .catch(() => undefined)
        .finally(() => {
          line.length -= 1;
          if (line.length === 0) lines.delete(name);
        });
      return turn;
    },
  };
}
