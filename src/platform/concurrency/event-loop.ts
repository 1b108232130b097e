import { performance } from "node:perf_hooks";

/** The time over which the use of the event loop is measured. */
const windowMillis = 100;
/** The share of that time from which on the event loop is busy. */
const busyShare = 0.5;

/**
 * Returns a function that tells whether the event loop of this process was busy lately. The time in which the process waits
 * for a core counts as busy, so it also notices that other processes use the machine up.
 */
export function watchEventLoop(): () => boolean {
  let measuredAt = performance.now();
  let measured = performance.eventLoopUtilization();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - measuredAt < windowMillis) return isBusy;
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, measured).utilization >= busyShare;
    measuredAt = now;
    measured = current;
    return isBusy;
  };
}
