import type { Epoch } from "../store/records.js";

// How many past epochs are kept: those in which messages may still be on their way, as far as a device can store them.

/** The most epochs of a group. A text may come this many epochs late, if its sender's relay was down while others were added one by one. */
const maxPastEpochs = 1_000;
/** The most bytes of a group's epochs. */
const maxPastBytes = 16 * 1024 * 1024;
/** In a large group, this many of the newest epochs may have more bytes together. */
const minPastEpochs = 64;
const maxLargePastBytes = 32 * 1024 * 1024;
const maxPastMillis = 7 * 86_400_000;

/** The past epochs whose messages may still be on their way. `endedAtMillis` is when the newest of them ended. */
export function recentEpochs(past: readonly Epoch[], endedAtMillis: number, nowMillis: number): Epoch[] {
  // Each epoch lasted until the next one was entered.
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
