import { callBack } from "../runtime/callbacks.js";
import type { Runtime } from "../runtime/runtime.js";

/** What is known of a device's queue at the relay. */
export interface DeviceQueue {
  /** Whether all that was queued has been handled and acknowledged. Without `receive` it asks the relay. */
  isEmpty(): Promise<boolean>;
  /** Calls the listener each time that the queue has become empty, until the signal is aborted. */
  onEmpty(listener: () => void, signal?: AbortSignal): void;
  /** Fulfilled with true once the queue is empty; with false if nothing arrives for this time, or nobody receives. */
  whenEmpty(patienceMillis: number): Promise<boolean>;
}

/** The same for those who receive and report. */
export interface ReportedQueue extends DeviceQueue {
  began(): void;
  ended(): void;
  /** A message has arrived, or the connection is lost: there may be messages. */
  filled(): void;
  emptied(): void;
}

export function createDeviceQueue(
  { sleep }: Pick<Runtime, "sleep">,
  askWhetherEmpty: () => Promise<boolean>,
): ReportedQueue {
  const listeners = new Set<() => void>();
  let receivers = 0;
  let isKnownEmpty = false;
  let arrivals = 0;

  const isEmpty = async () => (receivers === 0 ? askWhetherEmpty() : isKnownEmpty);
  const nextEmptyWithin = async (millis: number) => {
    const over = new AbortController();
    const end = () => over.abort();
    listeners.add(end);
    await sleep(millis, over.signal).catch(() => undefined);
    listeners.delete(end);
  };
  return {
    isEmpty,
    onEmpty(listener, signal) {
      if (signal?.aborted) return;
      const call = () => callBack(listener, []);
      listeners.add(call);
      signal?.addEventListener("abort", () => listeners.delete(call));
    },
    async whenEmpty(patienceMillis) {
      while (!(await isEmpty())) {
        if (receivers === 0) return false;
        const before = arrivals;
        await nextEmptyWithin(patienceMillis);
        if (!isKnownEmpty && arrivals === before) return false;
      }
      return true;
    },
    began() {
      receivers += 1;
      isKnownEmpty = false;
    },
    ended() {
      receivers -= 1;
      isKnownEmpty = false;
    },
    filled() {
      arrivals += 1;
      isKnownEmpty = false;
    },
    emptied() {
      isKnownEmpty = true;
      for (const listener of listeners) listener();
    },
  };
}
