/**
 * A controller that is aborted with a signal. Abort it when its work ends; otherwise the signal keeps a reference to
 * it.
 */
export function childOf(signal: AbortSignal): AbortController {
  const child = new AbortController();
  if (signal.aborted) child.abort(signal.reason);
  else signal.addEventListener("abort", () => child.abort(signal.reason), { once: true, signal: child.signal });
  return child;
}

/** The same promise, but it rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true, signal: over.signal });
  });
  return Promise.race([work, aborted]).finally(() => over.abort());
}
