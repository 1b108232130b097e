/** What asks this process to drain and end. */
export type StopSignal = NodeJS.Signals | "end of npm";

/** Under npm, Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const echoMillis = 1_000;
const parentCheckMillis = 1_000;

const signals = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

/**
 * Calls `stop` at the first signal that asks the process to end, and `hurry` at each later one. A terminal that closes
 * sends SIGHUP several times, and a supervisor may add one to its SIGTERM, so SIGHUP never hurries. A process that `npm
 * start` has started also stops when npm exits.
 */
export function onStopSignals(
  env: Readonly<Record<string, string | undefined>>,
  { stop, hurry }: { stop(signal: StopSignal): void; hurry(signal: NodeJS.Signals): void },
): void {
  let first: { signal: StopSignal; at: number } | undefined;
  const receive = (signal: StopSignal): void => {
    if (first === undefined) stop(signal);
    if (first === undefined || first.signal === "SIGHUP") {
      first = { signal, at: performance.now() };
      return;
    }
    const isEcho = signal === "SIGINT" && first.signal === "SIGINT" && performance.now() - first.at < echoMillis;
    if (signal !== "SIGHUP" && signal !== "end of npm" && !isEcho) hurry(signal);
  };
  for (const signal of signals) process.on(signal, receive);
  if (env["npm_lifecycle_event"] === "start") onEndOfParent(() => receive("end of npm"));
}

/** Ends this process by the signal, as if there were no listener. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function onEndOfParent(ended: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  }, parentCheckMillis).unref();
}
