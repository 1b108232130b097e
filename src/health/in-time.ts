import { withinTime } from "../platform/concurrency/within-time.js";
import { RelayError } from "../protocol/errors.js";

/** Returns what the database was asked for; throws DATABASE_UNAVAILABLE if it does not come in time. */
export function inTime<T>(promised: Promise<T>, millis: number): Promise<T> {
  return withinTime(promised, millis, () => {
    throw new RelayError("DATABASE_UNAVAILABLE", "the database does not answer in time");
  });
}
