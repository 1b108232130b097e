import { RelayError } from "../../protocol/errors.js";

/**
 * Runs the work of each name one at a time; different names do not wait for each other. Hand-written because the queue
 * of a name is bounded and a lock can outlast its work (`until`); async-mutex does neither and never drops unused
 * names.
 */
interface KeyedMutex {
  /**
   * Throws OVERLOADED if too many callers wait for the name. The lock is held until the work ends, or, if it succeeded and
   * `until` is given, until that settles.
   */
  take<T>(name: string, work: () => Promise<T>, until?: Promise<unknown>): Promise<T>;
}

export function createKeyedMutex({ maxWaiting }: { maxWaiting: number }): KeyedMutex {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();

  return {
    async take(name, work, until) {
      const queue = queues.get(name) ?? { last: Promise.resolve(), length: 0 };
      if (queue.length > maxWaiting) throw new RelayError("OVERLOADED", "too many requests of this device are waiting");
      queues.set(name, queue);
      queue.length += 1;
      const result = queue.last.then(work);
      queue.last = result
        .then(() => until)
        .catch(() => undefined)
        .finally(() => {
          queue.length -= 1;
          if (queue.length === 0) queues.delete(name);
        });
      return result;
    },
  };
}
