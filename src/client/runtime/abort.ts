interface Shared {
  listeners: Set<() => void>;
  tellAll(): void;
}

const sharedOf = new WeakMap<AbortSignal, Shared>();

/**
 * Calls a listener once the signal is aborted; the returned function removes the listener. All listeners of a signal share one that Node.js
 * sees, because it takes more than ten for a leak and prints a warning. That one is removed with the last listener, because Node.js keeps a
 * joined signal in memory while it has one.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const shared = sharedOf.get(signal) ?? share(signal);
  const own = () => listener();
  shared.listeners.add(own);
  return () => {
    if (!shared.listeners.delete(own) || shared.listeners.size > 0) return;
    signal.removeEventListener("abort", shared.tellAll);
    sharedOf.delete(signal);
  };
}

function share(signal: AbortSignal): Shared {
  const listeners = new Set<() => void>();
  const tellAll = () => {
    for (const listener of listeners) listener();
  };
  const shared = { listeners, tellAll };
  sharedOf.set(signal, shared);
  signal.addEventListener("abort", tellAll, { once: true });
  return shared;
}

/**
 * A controller that is aborted with a signal. Abort it when its work ends; otherwise the signal keeps a reference to
 * it.
 */
export function childOf(signal: AbortSignal): AbortController {
  const child = new AbortController();
  if (signal.aborted) child.abort(signal.reason);
  else
    child.signal.addEventListener(
      "abort",
      onAbort(signal, () => child.abort(signal.reason)),
      { once: true },
    );
  return child;
}

/** The same promise, but it rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else leave = onAbort(signal, fail);
  });
  return Promise.race([work, aborted]).finally(() => leave?.());
}
