import type { LimitState } from "../protocol/rate-limit.js";
import type { LimitRequest } from "./limit-request.js";
import type { CountedWindow } from "./windows-store.js";

export interface LimitOutcome {
  /** In the order of the requests, after counting. */
  states: LimitState[];
  /** The refused request; of several, the one that must wait longest. */
  refused: (LimitRequest & { resetAt: number }) | undefined;
  /** What was counted although something else was refused, and therefore must be given back. */
  unused: CountedWindow[];
}

/** Concludes from the windows of each request, as they were counted, whether the requests are granted, all or none. */
export function concludeLimits(requests: readonly LimitRequest[], windows: readonly CountedWindow[][]): LimitOutcome {
  const all = windows.flat();
  const full = fullWindowsOf(all);
  const outcomes = requests.map((request, index) => outcomeOf(request, windows[index] ?? [], full));
  return {
    states: outcomes.map(({ state }) => state),
    refused: longestWait(outcomes),
    unused: full.size === 0 ? [] : all.filter(({ counted }) => counted),
  };
}

/** The windows that a refusal is due to: those that were too full, or else those that filled up meanwhile. */
function fullWindowsOf(windows: readonly CountedWindow[]): ReadonlySet<CountedWindow> {
  const uncounted = windows.filter(({ counted, cost }) => !counted && cost > 0);
  const tooFull = uncounted.filter(({ used, cost, limit }) => used + cost > limit);
  return new Set(tooFull.length > 0 ? tooFull : uncounted);
}

interface RequestOutcome {
  state: LimitState;
  refused: LimitOutcome["refused"];
}

/** The state of a request is that of its window with the least left. `full` is empty unless everything is refused. */
function outcomeOf(
  request: LimitRequest,
  windows: readonly CountedWindow[],
  full: ReadonlySet<CountedWindow>,
): RequestOutcome {
  const { name, limit, windowSeconds } = request;
  const readings = windows.map((window) => {
    const { counted, cost, endsAt } = window;
    const used = counted && full.size > 0 ? window.used - cost : window.used;
    const left = Math.max(0, window.limit - used);
    const remaining = Math.min(limit, full.has(window) ? Math.min(left, cost - 1) : left);
    return { remaining, resetAt: used > 0 ? endsAt : null };
  });
  const [tightest] = readings.toSorted((a, b) => a.remaining - b.remaining);
  if (tightest === undefined) throw new Error("a request has no window");
  const state = { name, limit, ...tightest, windowSeconds };
  const ends = windows.filter((window) => full.has(window)).map(({ endsAt }) => endsAt);
  return { state, refused: ends.length === 0 ? undefined : { ...request, resetAt: Math.max(...ends) } };
}

function longestWait(outcomes: readonly RequestOutcome[]): LimitOutcome["refused"] {
  const refused = outcomes.flatMap((one) => one.refused ?? []);
  return refused.toSorted((a, b) => b.resetAt - a.resetAt)[0];
}
