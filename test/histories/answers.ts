import { setTimeout as sleep } from "node:timers/promises";
import type { Recorder } from "./history.js";

/** After this time a client takes it that no answer comes. Whether it comes in time changes no verdict. */
const patienceMillis = 3_000;

/** What came in time; undefined if nothing did, or the connection broke. `late` is told what comes after that. */
export async function withinPatience<T>(
  asked: Promise<T>,
  late: (answer: T) => void = () => {},
): Promise<T | undefined> {
  let isLate = false;
  const settled = asked.then(
    (answer) => {
      if (isLate) late(answer);
      return answer;
    },
    () => undefined,
  );
  const timer = new AbortController();
  const over = sleep(patienceMillis, undefined, { signal: timer.signal }).catch(() => undefined);
  const answer = await Promise.race([settled, over]);
  timer.abort();
  isLate = answer === undefined;
  return answer;
}

export function countAnswer({ answers }: Recorder, answer: string): void {
  answers.set(answer, (answers.get(answer) ?? 0) + 1);
}
