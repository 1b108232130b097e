/** Whether the relay can be reached, judging by calls and streams. */
export interface Reachability {
  /** The relay has answered a call. Tells the listeners if this is the first answer since the relay was lost. */
  answered(): void;
  /** Some bytes of an answer have arrived. */
  heard(): void;
  /** How often bytes have arrived. */
  timesHeard(): number;
  /** A call got no answer, or a stream broke. */
  lost(): void;
  /** Calls a listener whenever the relay answers again, until the signal is aborted. */
  onReturn(listener: () => void, until: AbortSignal): void;
}

export function createReachability(): Reachability {
  const listeners = new Set<() => void>();
  let isLost = false;
  let timesHeard = 0;
  return {
    heard() {
      timesHeard++;
    },
    timesHeard: () => timesHeard,
    answered() {
      if (!isLost) return;
      isLost = false;
      for (const listener of listeners) listener();
    },
    lost() {
      isLost = true;
    },
    onReturn(listener, until) {
      listeners.add(listener);
      until.addEventListener("abort", () => listeners.delete(listener), { once: true });
    },
  };
}
