import type { Epoch } from "../store/records.js";

// Of past epochs, as many are kept as messages may still be on their way in, and as a device can store.

/** A text may be on its way for that long: its sender's relay may have been away while others were added one by one. */
const maxPastEpochs = 1_000;
/** Of one group. */
const maxPastBytes = 16 * 1024 * 1024;
/** Of the newest epochs, in a large group. */
const minPastEpochs = 64;
const maxLargePastBytes = 32 * 1024 * 1024;
const maxPastMillis = 7 * 86_400_000;

/** The past epochs whose messages may still be on their way. `endedAtMillis` is when the newest of them ended. */
export function recentEpochs(past: readonly Epoch[], endedAtMillis: number, nowMillis: number): Epoch[] {
  // Each epoch has lasted until the next one was entered.
  const endedAt = (at: number) => past[at - 1]?.enteredAtMillis ?? endedAtMillis;
  const old = past.findIndex((_, at) => endedAt(at) <= nowMillis - maxPastMillis);
  return old < 0 ? [...past] : past.slice(0, old);
}

/** The newest ones that may be kept. */
export function keptEpochs(past: readonly Epoch[]): Epoch[] {
  let total = 0;
  const fits = ({ bytes }: Epoch, at: number) => {
    total += bytes;
    return at < maxPastEpochs && total <= (at < minPastEpochs ? maxLargePastBytes : maxPastBytes);
  };
  const end = past.findIndex((one, at) => !fits(one, at));
  return end < 0 ? [...past] : past.slice(0, end);
}
