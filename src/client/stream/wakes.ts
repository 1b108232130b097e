import { childOf } from "../runtime/abort.js";
import type { Runtime } from "../runtime/runtime.js";

/** `asked`: the application or the platform says that the relay may be reached. `answered`: the relay answers again. */
export type WakeCause = "asked" | "answered";

/**
 * Lets the receiver try at once instead of waiting. The receiver does one thing at a time: it attempts something, waits
 * for the next attempt, or keeps a stream open.
 */
export interface Wakes {
  wake(cause: WakeCause): void;
  /** Abandons an attempt that a wake makes pointless because it began while the relay was away. No wait follows it. */
  attempt<T>(work: Promise<T>, abandon: () => void): Promise<T>;
  /** Waits until a wake. Only the application or the platform ends a wait that the relay has requested. */
  wait(millis: number, options: { isRequested: boolean }): Promise<void>;
  /** Calls `check` when the receiver is asked whether an open stream is still alive. */
  whileOpen<T>(work: Promise<T>, check: () => void): Promise<T>;
}

/** A younger attempt began while the relay answered, and is likely to succeed. */
const youngMillis = 2_000;

export function createWakes({ nowMillis, sleep }: Pick<Runtime, "nowMillis" | "sleep">, signal: AbortSignal): Wakes {
  /** A wake that came when there was no wait to end. */
  let pending: WakeCause | undefined;
  const keep = (cause: WakeCause) => {
    if (pending !== "asked") pending = cause;
  };
  let handler = keep;

  const during = <T>(work: Promise<T>, onWake: (cause: WakeCause) => void): Promise<T> => {
    handler = onWake;
    return work.finally(() => {
      handler = keep;
    });
  };
  return {
    wake: (cause) => handler(cause),
    attempt(work, abandon) {
      const begun = nowMillis();
      return during(work, (cause) => {
        keep(cause);
        if (cause === "asked" || nowMillis() - begun >= youngMillis) abandon();
      });
    },
    async wait(millis, { isRequested }) {
      const endsWait = (cause: WakeCause | undefined) => cause === "asked" || (cause === "answered" && !isRequested);
      const cause = pending;
      pending = undefined;
      if (endsWait(cause)) return;
      const waiting = childOf(signal);
      const slept = sleep(millis, waiting.signal).catch(() => undefined);
      await during(slept, (later) => endsWait(later) && waiting.abort());
      waiting.abort();
    },
    whileOpen(work, check) {
      pending = undefined;
      return during(work, (cause) => cause === "asked" && check());
    },
  };
}
