import { setTimeout as wait } from "node:timers/promises";
import { RelayError } from "../protocol/errors.js";

/** What is promised, if it comes in time; else throws DATABASE_UNAVAILABLE, and what comes late is ignored. */
export async function inTime<T>(promised: Promise<T>, millis: number): Promise<T> {
  const late = new AbortController();
  const tooLate = wait(millis, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new RelayError("DATABASE_UNAVAILABLE", "the database does not answer in time");
  });
  try {
    return await Promise.race([promised, tooLate]);
  } finally {
    late.abort();
  }
}
